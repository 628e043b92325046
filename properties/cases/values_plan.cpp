#include "properties/cases/values_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "properties/cases/draw.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/semantics.hpp"

namespace assay::properties {
namespace {

void add(Case test_case, const OperationDeclaration& declaration, ValuesPlan& plan) {
  if (std::find(plan.cases.begin(), plan.cases.end(), test_case) != plan.cases.end()) return;
  Coverage shown;
  cover_planned(declaration, test_case, shown);
  for (const auto& [words, count] : shown.reached()) {
    if (std::find(plan.wanted.begin(), plan.wanted.end(), words) == plan.wanted.end())
      plan.wanted.push_back(words);
  }
  plan.cases.push_back(std::move(test_case));
}

bool is_asked(const PlannedRegime& planned, const OperationDeclaration& declaration,
              const KernelTraits& traits) {
  const bool half_sums = has_half_sums(declaration, traits.arithmetic);
  return !is_left_out(planned, traits) &&
         (planned.regime.needs.empty() || traits.has(planned.regime.needs)) &&
         (!half_sums || planned.regime.half_sums_safe) &&
         (!traits.arithmetic.regrouped || planned.regime.regrouped_safe);
}

/// The sizes that are wanted, or smaller ones that run whole: of a sample nobody knows whether it stores what
/// the planned values lead to.
Case case_of(const CaseSpace& space, Dims wanted) {
  for (;;) {
    Case one = space.nearest(wanted);
    std::int64_t product = 1;
    const Dimension* longest = nullptr;
    for (const Dimension& dimension : space.declaration().dimensions) {
      if (dimension.is_choice()) continue;
      const std::int64_t size = dim(one.dims, dimension.name);
      product *= size;
      if (longest == nullptr || size > dim(one.dims, longest->name)) longest = &dimension;
    }
    if (longest == nullptr || product <= Budget{}.longest) return one;
    const std::int64_t size = dim(one.dims, longest->name);
    wanted[longest->name] = size / 2;
    if (size < 2 || dim(space.nearest(wanted).dims, longest->name) >= size) return one;
  }
}

void add_regime(const PlannedRegime& planned, const CaseSpace& space, const KernelTraits& traits,
                ValuesPlan& plan) {
  const Knob& knob = planned.regime.knobs.front();
  for (const Dims& wanted : planned.sizes(traits.tile)) {
    // What is not lent to drawn cases has sizes of its own, which may be longer than drawn ones.
    const auto own = planned.lent ? std::nullopt : space.at(wanted);
    Case test_case = own ? *own : case_of(space, wanted);
    test_case.regime = planned.regime.name;
    test_case.knobs.clear();
    for (const Knob& one : planned.regime.knobs) test_case.knobs[one.name] = 0;
    test_case.seed = 1;
    for (std::int64_t value = 0; value < std::ssize(knob.names);) {
      const std::int64_t shown = planned.at_once ? planned.at_once(test_case.dims, value) : 1;
      test_case.knobs[knob.name] = value;
      if (shown > 0) add(test_case, space.declaration(), plan);
      value += std::max<std::int64_t>(1, shown);
    }
  }
}

}  // namespace

ValuesPlan plan_values(const Operation& operation, const KernelTraits& traits) {
  ValuesPlan plan;
  const OperationDeclaration& declaration = operation.declaration();
  const CaseSpace space = operation.cases(traits);
  for (const PlannedRegime& planned : declaration.planned) {
    if (is_asked(planned, declaration, traits)) add_regime(planned, space, traits, plan);
  }
  if (!declaration.planned_sizes) return plan;
  for (const Dims& sizes : declaration.planned_sizes(traits.tile)) {
    auto test_case = space.at(sizes);
    if (!test_case) continue;
    if (test_case->regime != "exact") space.set_regime(*test_case, "random");
    test_case->seed = 1;
    for (const Dimension& one : declaration.dimensions) {
      if (one.is_choice() && sizes.contains(one.name))
        plan.wanted.push_back(fmt::format("{} = {}", one.name, dim(test_case->dims, one.name)));
    }
    add(std::move(*test_case), declaration, plan);
  }
  return plan;
}

Case with_planned_values(const OperationDeclaration& declaration, const KernelTraits& traits, Case drawn) {
  std::vector<const PlannedRegime*> asked;
  for (const PlannedRegime& planned : declaration.planned) {
    if (planned.lent && is_asked(planned, declaration, traits)) asked.push_back(&planned);
  }
  if (asked.empty()) return drawn;
  const Words words = Draw(drawn.seed, "planned values").words(0);
  const Regime& regime = asked[below(static_cast<std::uint32_t>(asked.size()), words[0])]->regime;
  drawn.regime = regime.name;
  drawn.knobs.clear();
  for (const Knob& knob : regime.knobs)
    drawn.knobs[knob.name] = between(0, knob.largest(drawn.dims, traits.arithmetic), words[1]);
  return drawn;
}

}  // namespace assay::properties
