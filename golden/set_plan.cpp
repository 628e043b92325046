// The cases of a set, drawn, shaped, planned or given.
#include "golden/set_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "golden/set_words.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/shown.hpp"
#include "properties/cases/draw.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/values_plan.hpp"
#include "properties/large/models.hpp"

namespace assay::golden {
namespace {

using properties::Case;
using properties::CaseSpace;
using properties::Operation;

/// Drawn sets are kept in the tree, so their cases are small; their edges are those of the commonest tile.
constexpr properties::Budget kBudget = {
    .largest = std::int64_t{1} << 16, .least = std::int64_t{1} << 12, .longest = 0};
constexpr Tile kTile = {64, 64, 32};

constexpr std::uint64_t kDrawnCases = 8, kShapeCases = 1;
constexpr std::int64_t kGroupSize = 128;
/// Sets of planned cases are for the tree, too: those whose tensors take more bytes are left to verification.
constexpr double kMostPlannedBytes = 1 << 14;
/// Prompts of thousands of tokens have outputs of gigabytes: who wants them says so.
constexpr std::int64_t kMostTokens = 512;

/// A shape as it is written: a model's name, and sizes.
struct Shape {
  std::string model;
  Dims dims;
};

Shape parse_shape(std::string_view text) {
  Shape shape;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      if (!shape.model.empty() || part.empty())
        refuse("shape", shown(std::string(text)) +
                            " must be sizes such as M=1,N=4096,K=4096, or a model's name with or without "
                            "sizes behind it");
      shape.model = part;
      continue;
    }
    const std::string name(part.substr(0, equals));
    const auto value = whole_number_in(part.substr(equals + 1));
    if (name.empty() || !value || *value < 1 || *value > INT32_MAX)
      refuse("shape", fmt::format("{} must be NAME=NUMBER, the number from 1 to {}", shown(std::string(part)),
                                  INT32_MAX));
    if (!shape.dims.emplace(name, static_cast<std::int64_t>(*value)).second)
      refuse("shape", fmt::format("{} is given twice in {}", shown(name), shown(std::string(text))));
  }
  return shape;
}

/// The dimensions that a shape stands for: its own, or those of the layers of a model.
std::vector<Dims> dims_of(const Shape& shape, const properties::OperationDeclaration& declaration) {
  if (shape.model.empty()) return {shape.dims};
  std::vector<Dims> found;
  std::set<std::string> models;
  for (const properties::Layer& layer : properties::model_layers()) {
    models.insert(layer.model);
    if (layer.model != shape.model) continue;
    for (const std::int64_t tokens : properties::layer_tokens()) {
      if (tokens > kMostTokens) continue;
      Dims dims = layer_dims(declaration, layer, tokens, kGroupSize);
      if (dims.empty()) continue;
      for (const auto& [name, value] : shape.dims) dims[name] = value;
      if (std::find(found.begin(), found.end(), dims) == found.end()) found.push_back(std::move(dims));
    }
  }
  if (!models.contains(shape.model))
    refuse("shape",
           fmt::format("{} is not a model; the models are {}", shown(shape.model), fmt::join(models, ", ")));
  if (found.empty()) refuse("shape", fmt::format("{} has no layer of {}", shape.model, declaration.name));
  return found;
}

/// Draws and names the cases of one request.
class Planner {
 public:
  explicit Planner(const SetRequest& request)
      : request_(request), operation_(properties::find_operation(request.operation)) {
    const auto choose = [&](const char* name, const std::optional<std::int64_t>& value) {
      if (!value) return;
      if (find_named(operation_.declaration().dimensions, name) == nullptr)
        refuse(name, fmt::format("{} has none", operation_.name()));
      chosen_[name] = *value;
    };
    choose("group_size", request.group_size);
    choose("bits", request.bits);
    if (request.regime && regime() == nullptr) {
      std::vector<std::string> names;
      for (const auto& one : operation_.declaration().regimes) names.push_back(one.name);
      refuse("regime", fmt::format("{} is not one of {}'s: {}", shown(*request.regime), operation_.name(),
                                   fmt::join(names, ", ")));
    }
    if (request.cases == 0) refuse("cases", "must be at least 1");
  }

  PlannedSet plan() const {
    PlannedSet set{name(), to_line(request_), arithmetic_of(request_.arithmetic), {}};
    for (const Case& one : cases()) set.cases.push_back({file_name(set.name, set.cases.size()), one});
    return set;
  }

 private:
  const properties::Regime* regime() const {
    return request_.regime ? find_named(operation_.declaration().regimes, *request_.regime) : nullptr;
  }

  std::vector<Case> cases() const {
    if (!request_.lines.empty()) return written();
    if (request_.planned) return planned();
    return request_.shapes.empty() ? drawn() : shaped();
  }

  /// Those that are given as lines.
  std::vector<Case> written() const {
    refuse_others("case");
    std::vector<Case> cases;
    for (const std::string& line : request_.lines) {
      if (line.find(';') != std::string::npos) refuse("case", shown(line) + " has a `;`");
      try {
        Case one = properties::parse_line(line);
        operation_.check_case(one);
        operation_.check_knobs(one, arithmetic_of(request_.arithmetic));
        cases.push_back(std::move(one));
      } catch (const std::invalid_argument& wrong) {
        refuse("case", fmt::format("{}: {}", shown(line), wrong.what()));
      }
    }
    return cases;
  }

  std::vector<Case> planned() const {
    refuse_others("planned");
    const properties::KernelTraits traits{
        .tile = kTile, .requirements = {}, .arithmetic = arithmetic_of(request_.arithmetic)};
    std::vector<Case> cases = properties::plan_values(operation_, traits).cases;
    std::erase_if(cases, [&](const Case& one) { return bytes_of_case(one) > kMostPlannedBytes; });
    if (cases.empty()) refuse("planned", fmt::format("{} has no small planned cases", operation_.name()));
    return cases;
  }

  void refuse_others(const char* field) const {
    if (!request_.shapes.empty() || request_.cases || request_.regime || !chosen_.empty() ||
        (request_.planned && !request_.lines.empty()))
      refuse(field, "already names all cases; leave out cases, shape, regime, group_size and bits");
  }

  /// The space of cases of this arithmetic, with the dimensions that are chosen.
  CaseSpace space() const {
    properties::KernelTraits traits{
        .tile = kTile, .requirements = {}, .arithmetic = arithmetic_of(request_.arithmetic)};
    for (const auto& [dimension, value] : chosen_) {
      Requirement& only = traits.requirements[dimension];
      only.one_of = {value};
    }
    properties::OperationDeclaration declaration = operation_.declaration();
    if (const properties::Regime* const only = regime()) declaration.regimes = {*only};
    check_requirements(declaration, traits);
    CaseSpace space(declaration, traits, kBudget);
    if (space.regimes().empty())
      refuse("regime",
             fmt::format("{}: its sums may overflow a half accumulator", request_.regime.value_or("all")));
    return space;
  }

  std::vector<Case> drawn() const {
    const CaseSpace all = space();
    std::vector<Case> cases;
    for (std::uint64_t i = 0; i < request_.cases.value_or(kDrawnCases); ++i)
      cases.push_back(properties::case_at(all, request_.seed, i));
    return cases;
  }

  std::vector<Case> shaped() const {
    const properties::KernelTraits traits{
        .tile = kTile, .requirements = {}, .arithmetic = arithmetic_of(request_.arithmetic)};
    const CaseSpace all = operation_.cases(traits);
    const properties::Draw seeds(request_.seed, "golden");
    std::vector<Case> cases;
    for (const std::string& text : request_.shapes) {
      for (Dims dims : dims_of(parse_shape(text), operation_.declaration())) {
        complete(dims, text);
        for (std::uint64_t i = 0; i < request_.cases.value_or(kShapeCases); ++i) {
          auto one = all.at(dims);
          if (!one) {
            const bool half = traits.arithmetic.accumulate == Precision::half_precision;
            refuse("shape",
                   fmt::format(
                       "{}: {} does not take it{}", text, operation_.name(),
                       half ? "; a sum in half takes K up to 511, beyond which its error bound says nothing"
                            : ""));
          }
          set_values(all, i, *one);
          const auto words = seeds.words(cases.size());
          one->seed = std::uint64_t{words[0]} << 32 | words[1];
          operation_.check_case(*one);
          cases.push_back(std::move(*one));
        }
      }
    }
    return cases;
  }

  /// Dimensions that are chosen beside the shape, and the group size that models have.
  void complete(Dims& dims, const std::string& text) const {
    for (const auto& [name, value] : chosen_) {
      const auto [given, fresh] = dims.try_emplace(name, value);
      const bool named = text.find(name + "=") != std::string::npos;
      if (!fresh && named && given->second != value)
        refuse(name, fmt::format("is {} beside --shape {}", value, text));
      given->second = value;
    }
    if (find_named(operation_.declaration().dimensions, "group_size") != nullptr)
      dims.try_emplace("group_size", kGroupSize);
    for (const auto& [name, value] : dims) {
      if (find_named(operation_.declaration().dimensions, name) == nullptr)
        refuse("shape", fmt::format("{}: {} has no dimension {}", text, operation_.name(), shown(name)));
    }
  }

  void set_values(const CaseSpace& all, std::uint64_t number, Case& one) const {
    const std::string wanted = request_.regime.value_or(number % 2 == 0 ? "random" : "exact");
    all.set_regime(one, wanted);
    if (request_.regime && one.regime != wanted)
      refuse("regime", fmt::format("{}: its sums may overflow a half accumulator", wanted));
  }

  std::string name() const {
    SetRequest plain{.operation = request_.operation, .seed = request_.seed};
    SetRequest others = request_;
    others.cases = std::nullopt;  // a longer set of the same request goes on where a shorter one ends
    std::string name = fmt::format("{}-{}", request_.operation, request_.seed);
    if (others == plain) return name;
    const std::string line = to_line(request_.shapes.empty() ? others : request_);
    return fmt::format("{}-{:08x}", name, static_cast<std::uint32_t>(XXH3_64bits(line.data(), line.size())));
  }

  const SetRequest& request_;
  const Operation& operation_;
  Dims chosen_;
};

}  // namespace

Arithmetic arithmetic_of(const std::optional<std::string>& words) {
  Arithmetic arithmetic;
  if (!words) return arithmetic;
  const auto parts = split(*words, ',');
  if (parts.size() > 2) refuse("arithmetic", shown(*words) + " must be one word, or two: half,float");
  try {
    arithmetic.accumulate = properties::precision_from_name(parts.back());
    if (parts.size() == 2) arithmetic.dequantize = properties::precision_from_name(parts.front());
  } catch (const std::invalid_argument& unknown) {
    refuse("arithmetic", unknown.what());
  }
  return arithmetic;
}

double bytes_of_case(const Case& test_case) {
  const properties::OperationDeclaration& declaration =
      properties::find_operation(test_case.operation).declaration();
  Dims dims = test_case.dims;
  for (const properties::Count& one : declaration.counts) dims[one.name] = 1;
  double bytes = 0;
  for (const properties::TensorSpec& spec : declaration.tensors) {
    auto elements = static_cast<double>(assay::size_of(spec.dtype));
    for (const std::size_t extent : spec.shape(dims)) elements *= static_cast<double>(extent);
    bytes += elements;
  }
  return bytes;
}

PlannedSet plan_set(const SetRequest& request) { return Planner(request).plan(); }

}  // namespace assay::golden
