// The small cases that a run has beside those that are drawn, so that what it finds does not hang on its
// seed.
#pragma once

#include <string>
#include <vector>

#include "properties/cases/operation.hpp"

namespace assay::properties {

struct ValuesPlan {
  std::vector<Case> cases;
  /// What they are there to show (coverage.hpp): a run that has not reached one of them is vacuous.
  std::vector<std::string> wanted;
};

/// Of each planned regime that the kernel is asked, as few cases as show all of it; and the operation's
/// planned sizes, as far as the kernel takes them.
ValuesPlan plan_values(const Operation& operation, const KernelTraits& traits);

/// That case with the values of one of its planned regimes, which follows from its seed; unchanged where the
/// kernel is asked none. So these values are drawn too, beside sizes that no plan has.
Case with_planned_values(const OperationDeclaration& declaration, const KernelTraits& traits, Case drawn);

}  // namespace assay::properties
