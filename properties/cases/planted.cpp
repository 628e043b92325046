#include "properties/cases/planted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/verify/value_requirements.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/special_values.hpp"
#include "reference/bfloat.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

using At = PlantedValue::At;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::uint16_t kNotANumberOfBfloat = 0x7FC0;

struct Place {
  const PlantedValue* value;
  std::size_t element;
};

/// Which lines a case has given away, from the last one down.
struct Lines {
  std::int64_t count = 0;
  std::set<std::int64_t> taken = {};

  std::optional<std::int64_t> take(const PlantedValue& value, bool alone) {
    std::int64_t line = count - 1;
    if (value.at_line == At::first) return count > value.kept ? std::optional<std::int64_t>(0) : std::nullopt;
    if (value.at_line == At::free) {
      while (line > 0 && taken.contains(line)) --line;
    }
    const bool room = std::ssize(taken) + value.kept < count;
    if (taken.contains(line) || !(room || alone)) return std::nullopt;
    taken.insert(line);
    return line;
  }
};

std::size_t element_at(const PlantedValue& value, const std::vector<std::size_t>& shape, std::size_t line) {
  std::size_t element = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::size_t index = value.along == At::first  ? 0
                        : value.along == At::last ? shape[axis] - 1
                                                  : shape[axis] / 2;
    if (value.axis && axis != *value.axis) index = shape[axis] / 2;
    if (!value.line.empty() && axis == value.line_axis) index = line;
    element = element * shape[axis] + index;
  }
  return element;
}

/// The values from `first` on that stand side by side in a case of these dimensions. None where the first of
/// them has no line of its kind there.
std::vector<Place> places_from(const OperationDeclaration& declaration, const Dims& dims,
                               std::int64_t first) {
  Dims all = dims;
  for (const Count& one : declaration.counts) all.emplace(one.name, 1);
  std::map<std::string, Lines> lines;
  std::vector<Place> found;
  for (auto i = static_cast<std::size_t>(first); i < declaration.planted.size(); ++i) {
    const PlantedValue& value = declaration.planted[i];
    const auto shape = find_named(declaration.tensors, value.tensor)->shape(all);
    const bool alone = found.empty();
    std::size_t line = 0;
    if (!value.line.empty()) {
      Lines& of = lines[value.line];
      of.count = static_cast<std::int64_t>(shape[value.line_axis]);
      const auto taken = of.take(value, alone);
      if (!taken) break;
      line = static_cast<std::size_t>(*taken);
    } else if (!alone) {
      break;
    }
    found.push_back({&value, element_at(value, shape, line)});
    // What spoils everything stands by itself.
    if (value.line.empty() || std::ssize(lines[value.line].taken) == lines[value.line].count) break;
  }
  return found;
}

std::int64_t first_of(const PlannedRegime& planned, const Case& test_case) {
  return std::clamp<std::int64_t>(knob_of(test_case, planned.regime.knobs.front().name), 0,
                                  std::ssize(planned.regime.knobs.front().names) - 1);
}

PlannedRegime& planted_of(OperationDeclaration& declared) {
  for (PlannedRegime& one : declared.planned) {
    if (one.regime.name == kPlanted) return one;
  }
  PlannedRegime planted;
  planted.regime = {.name = kPlanted,
                    .about = "NaN and infinities in places that are planned, ordinary values elsewhere",
                    .knobs = {{.name = "value", .largest = nullptr}}};
  declared.planned.push_back(std::move(planted));
  return declared.planned.back();
}

}  // namespace

void put_value(double value, Tensor& tensor, std::size_t element) {
  if (tensor.dtype == DType::f16) {
    tensor.as<std::uint16_t>()[element] =
        std::isnan(value) ? kSpecialValues.front() : reference::half_from_double(value);
  } else if (tensor.dtype == DType::bf16) {
    tensor.as<std::uint16_t>()[element] =
        std::isnan(value) ? kNotANumberOfBfloat : reference::bfloat_from_double(value);
  } else {
    tensor.as<float>()[element] = static_cast<float>(value);
  }
}

void add_planted(PlantedValue value, std::string words, OperationDeclaration& declared,
                 const std::string& never) {
  declared.planted.push_back(std::move(value));
  Knob& knob = planted_of(declared).regime.knobs.front();
  knob.names.push_back(std::move(words));
  if (!never.empty()) knob.never.push_back(never);
}

void declare_planted(const std::vector<PlantedInput>& inputs, OperationDeclaration& declared,
                     std::function<std::vector<Dims>(const Tile&)> sizes) {
  for (const auto& [value, name] :
       {std::pair{kInfinite, "infinity"}, {kNotANumber, "NaN"}, {-kInfinite, "-infinity"}, {-0.0, "-0"}}) {
    for (const PlantedInput& input : inputs) {
      if (std::isinf(value) && !input.infinite) continue;
      PlantedValue one = {.tensor = input.tensor, .value = value, .line = input.line};
      one.line_axis = input.line_axis;
      const auto add = [&, &name = name](At at_line, At along, const std::string& place) {
        one.at_line = at_line;
        one.along = along;
        add_planted(one, fmt::format("{}: {} {}", input.tensor, name, place), declared);
      };
      const bool spoils = value != 0;
      if (!input.line.empty() && spoils) add(At::last, At::free, "at the end of " + input.line);
      if (!input.along.empty()) {
        add(At::free, At::last, "at the end of " + input.along);
        if (spoils) add(At::free, At::first, "at the start of " + input.along);
      } else if (input.line.empty()) {
        add(At::free, At::last, "in its last element");
      }
    }
  }
  settle_planted(declared, std::move(sizes));
}

void settle_planted(OperationDeclaration& declared, std::function<std::vector<Dims>(const Tile&)> sizes) {
  PlannedRegime& planted = planted_of(declared);
  const std::int64_t last = std::ssize(declared.planted) - 1;
  planted.regime.knobs.front().largest = [last](const Dims&, const Arithmetic&) { return last; };
  planted.sizes = std::move(sizes);
  planted.at_once = [known = declared](const Dims& dims, std::int64_t first) {
    return static_cast<std::int64_t>(places_from(known, dims, first).size());
  };
}

void plant(const OperationDeclaration& declaration, const Case& test_case, Problem& filled) {
  const PlannedRegime* planted = find_planned(declaration, test_case.regime);
  if (planted == nullptr || test_case.regime != kPlanted) return;
  for (const Place& place : places_from(declaration, test_case.dims, first_of(*planted, test_case)))
    put_value(place.value->value, input(filled, place.value->tensor), place.element);
}

void cover_planned(const OperationDeclaration& declaration, const Case& test_case, Coverage& coverage) {
  const PlannedRegime* planned = find_planned(declaration, test_case.regime);
  if (planned == nullptr) return;
  const auto& words = planned->regime.knobs.front().names;
  const std::int64_t first = first_of(*planned, test_case);
  const std::int64_t count = planned->at_once ? planned->at_once(test_case.dims, first) : 1;
  for (std::int64_t i = first; i < std::min(first + count, std::ssize(words)); ++i)
    coverage.add(words[static_cast<std::size_t>(i)]);
}

std::string remark_on_planned(const OperationDeclaration& declaration, const Case& test_case) {
  const PlannedRegime* planned = find_planned(declaration, test_case.regime);
  if (planned == nullptr || planned->regime.knobs.empty()) return {};
  const Knob& knob = planned->regime.knobs.front();
  const auto first = static_cast<std::size_t>(first_of(*planned, test_case));
  if (first >= knob.never.size()) return {};
  return fmt::format(
      "The case has planned values ({}). If the inputs never hold them, write never = [\"{}\"] for those "
      "inputs "
      "in the manifest.",
      knob.names[first], knob.never[first]);
}

bool is_left_out(const PlannedRegime& planned, const KernelTraits& traits) {
  return is_value_requirement(planned.regime.name) && traits.requirements.contains(planned.regime.name);
}

const PlannedRegime* find_planned(const OperationDeclaration& declaration, const std::string& regime) {
  for (const PlannedRegime& one : declaration.planned) {
    if (one.regime.name == regime) return &one;
  }
  return nullptr;
}

std::vector<Dims> ragged_and_whole(const std::vector<Dimension>& dimensions, const Tile& tile) {
  constexpr std::int64_t kTokens = 13, kGroup = 16, kNoTile = 16;
  Dims ragged, whole;
  for (const Dimension& one : dimensions) {
    if (one.is_choice()) continue;
    const std::int64_t side = one.tile == nullptr || tile.*one.tile == 0 ? kNoTile : tile.*one.tile;
    ragged[one.name] = one.name == "M" ? kTokens : one.reduced ? 2 * side + 5 : side + 9;
    whole[one.name] = one.reduced ? 2 * side : side;
  }
  for (Dims* const dims : {&ragged, &whole}) {
    (*dims)["group_size"] = kGroup;
    (*dims)["parallel"] = 3;
    (*dims)["threadgroups"] = 2;
  }
  return {ragged, whole};
}

}  // namespace assay::properties
