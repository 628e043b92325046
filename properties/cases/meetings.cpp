#include "properties/cases/meetings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "properties/cases/axes.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"

namespace assay::properties {
namespace {

constexpr std::size_t kValues = 8;
/// Lines that show each value, and one more that stays as it is; and each two values, where one input has
/// lines.
constexpr std::int64_t kLines = 9, kPairLines = 64;

struct Kinds {
  bool infinity = false, not_a_number = false;
};

/// Which values an input may hold: those that it has planted.
Kinds kinds_of(const OperationDeclaration& declaration, const std::string& tensor) {
  Kinds kinds;
  for (const PlantedValue& one : declaration.planted) {
    if (one.tensor != tensor) continue;
    kinds.infinity = kinds.infinity || std::isinf(one.value);
    kinds.not_a_number = kinds.not_a_number || std::isnan(one.value);
  }
  return kinds;
}

struct Limits {
  double least, largest;
};

Limits limits_of(DType dtype) {
  if (dtype == DType::f16) return {0x1p-24, 65504};
  if (dtype == DType::bf16) return {0x1p-133, 0x1.FEp127};
  return {0x1p-149, 0x1.FFFFFEp127};
}

void put(std::size_t number, Kinds kinds, Tensor& tensor, std::size_t element) {
  const auto [least, largest] = limits_of(tensor.dtype);
  const std::array<double, kValues> values = {
      0,
      -0.0,
      1,
      -1,
      least,
      largest,
      kinds.infinity ? std::numeric_limits<double>::infinity() : largest,
      kinds.not_a_number ? std::numeric_limits<double>::quiet_NaN() : -largest};
  put_value(values[number % kValues], tensor, element);
}

/// Two inputs, the size along which they meet, and what each has that the other lacks.
struct Meeting {
  std::string a, b, along;
  std::optional<std::string> line_of_a, line_of_b;
};

std::optional<std::string> line_of(const OperationDeclaration& declaration, const std::string& one,
                                   const std::string& other) {
  for (const std::string& size : sizes_of(declaration))
    if (runs_along(declaration, one, size) && !runs_along(declaration, other, size)) return size;
  return std::nullopt;
}

/// Where not both have lines, values lie side by side along the size in common: groups of it are too few.
bool meets_in_each_pair(const OperationDeclaration& declaration, const Meeting& one) {
  if (one.line_of_a && one.line_of_b) return true;
  return has_one_each(declaration, one.a, one.along) && has_one_each(declaration, one.b, one.along) &&
         (!one.line_of_a || has_one_each(declaration, one.a, *one.line_of_a));
}

std::vector<Meeting> meetings_of(const OperationDeclaration& declaration) {
  std::vector<std::string> inputs;
  for (const PlantedValue& one : declaration.planted) {
    const bool known = std::find(inputs.begin(), inputs.end(), one.tensor) != inputs.end();
    // What stands in one of several matrices counts where some lines go there, and spoils all of these.
    const bool stacked = std::any_of(
        declaration.dimensions.begin(), declaration.dimensions.end(),
        [&](const Dimension& size) { return size.stacks && runs_along(declaration, one.tensor, size.name); });
    if (!known && !stacked) inputs.push_back(one.tensor);
  }
  std::vector<Meeting> found;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = i + 1; j < inputs.size(); ++j) {
      const auto line_of_a = line_of(declaration, inputs[i], inputs[j]);
      const auto line_of_b = line_of(declaration, inputs[j], inputs[i]);
      // Rather one that is summed over; where there are no lines, one of which each element has its own.
      const bool summed = line_of_a || line_of_b;
      std::optional<std::string> along;
      for (const std::string& size : sizes_of(declaration)) {
        if (!runs_along(declaration, inputs[i], size) || !runs_along(declaration, inputs[j], size)) continue;
        if (!along || (is_free(declaration, *along) == summed && is_free(declaration, size) != summed))
          along = size;
      }
      if (!along) continue;
      Meeting one{inputs[i], inputs[j], *along, line_of_a, line_of_b};
      if (!one.line_of_a && one.line_of_b) {
        std::swap(one.a, one.b);
        std::swap(one.line_of_a, one.line_of_b);
      }
      if (meets_in_each_pair(declaration, one)) found.push_back(std::move(one));
    }
  }
  return found;
}

/// Calls `visit` with each element of the input, where it lies along the size in common, and its line.
template <class Visit>
void each_element(const OperationDeclaration& declaration, const Case& test_case, const Tensor& tensor,
                  const std::string& along, const std::optional<std::string>& line, const Visit& visit) {
  const TensorSpec& spec = *find_named(declaration.tensors, tensor.name);
  const Axis shared = axis_of(spec, test_case.dims, along);
  if (shared.kind != Axis::Kind::along) return;
  const Axis own = line ? axis_of(spec, test_case.dims, *line) : Axis{};
  if (line && (own.kind != Axis::Kind::along || own.axis == shared.axis)) return;
  std::size_t elements = 1;
  for (const std::size_t extent : tensor.shape) elements *= extent;
  for (std::size_t i = 0; i < elements; ++i) {
    visit(i, index_along(i, shared.axis, tensor.shape), shared.block,
          line ? index_along(i, own.axis, tensor.shape) : 0);
  }
}

}  // namespace

void declare_meetings(OperationDeclaration& declared) {
  const PlannedRegime* planted = find_planned(declared, kPlanted);
  if (planted == nullptr) return;
  const auto meetings = meetings_of(declared);
  if (meetings.empty()) return;
  PlannedRegime planned;
  planned.regime = {.name = kMeetings,
                    .about = "special values of two inputs that meet at one place, one of each pair of eight",
                    .knobs = {{.name = "pair", .largest = nullptr}},
                    .half_sums_safe = false};
  Knob& knob = planned.regime.knobs.front();
  Dims needed;
  for (const Meeting& one : meetings) {
    knob.names.push_back(fmt::format("{}, {}: special values that meet along {}", one.a, one.b, one.along));
    const auto need = [&](const std::string& size, std::int64_t value) {
      needed[size] = std::max(needed[size], value);
    };
    if (one.line_of_a) need(*one.line_of_a, one.line_of_b ? kLines : kPairLines);
    if (one.line_of_b) need(*one.line_of_b, kLines);
    need(one.along, one.line_of_a && one.line_of_b ? kLines : one.line_of_a ? kLines : kPairLines);
  }
  const std::int64_t last = std::ssize(meetings) - 1;
  knob.largest = [last](const Dims&, const Arithmetic&) { return last; };
  planned.sizes = [sizes = planted->sizes, needed](const Tile& tile) {
    Dims one = sizes(tile).front();
    for (const auto& [name, value] : needed) one[name] = value;
    return std::vector{one};
  };
  declared.planned.push_back(std::move(planned));
}

void meet(const OperationDeclaration& declaration, const Case& test_case, Problem& filled) {
  if (test_case.regime != kMeetings) return;
  const auto meetings = meetings_of(declaration);
  const auto number = std::clamp<std::int64_t>(knob_of(test_case, "pair"), 0, std::ssize(meetings) - 1);
  const Meeting& one = meetings[static_cast<std::size_t>(number)];
  Tensor &a = input(filled, one.a), &b = input(filled, one.b);
  const Kinds of_a = kinds_of(declaration, one.a), of_b = kinds_of(declaration, one.b);
  const bool crossed = one.line_of_a && one.line_of_b;
  const std::size_t middle = extent(test_case.dims, one.along) / 2;
  each_element(declaration, test_case, a, one.along, one.line_of_a,
               [&](std::size_t i, std::size_t at, std::size_t block, std::size_t line) {
                 if (crossed) {
                   if (at == middle / block && line < kValues) put(line, of_a, a, i);
                 } else if (one.line_of_a) {
                   if (at == line % kValues && line < kPairLines) put(line / kValues, of_a, a, i);
                 } else if (at < kPairLines) {
                   put(at / kValues, of_a, a, i);
                 }
               });
  each_element(declaration, test_case, b, one.along, one.line_of_b,
               [&](std::size_t i, std::size_t at, std::size_t block, std::size_t line) {
                 if (crossed) {
                   if (at == middle / block && line < kValues) put(line, of_b, b, i);
                 } else if (at < (one.line_of_a ? kValues : static_cast<std::size_t>(kPairLines))) {
                   put(at, of_b, b, i);
                 }
               });
}

}  // namespace assay::properties
