// The cases that a run has beside those that are drawn: what it finds must not hang on the seed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/run/verifier.hpp"
#include "properties/large/width_plan.hpp"

namespace assay::run {

struct PlannedCases {
  std::vector<properties::Case> cases;
  std::vector<std::string> wanted;  ///< tags that they are there to reach: a run that does not is vacuous
  std::map<std::string, properties::DearSize> dear = {};  ///< of these, what no case reaches
};

/// Those of a kernel in one mode, in strict arithmetic: values in planned places (values_plan.hpp), the
/// shapes that its manifest entry names, large cases, by which its indices go past each width
/// (width_plan.hpp), and popular shapes (models.hpp). Large ones on devices that run samples of launches; on
/// others a large shape of the manifest is not reached. Compiles nothing.
PlannedCases planned_cases(const KernelEntry& entry, Mode mode, const VerifyOptions& options);

/// What large cases do not show of the indices of a kernel whose operation its manifest states, and what to
/// state so that they do; "" where nothing is left out.
std::string unseen_widths(const KernelEntry& entry, const VerifyOptions& options);

}  // namespace assay::run
