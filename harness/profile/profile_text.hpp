// What `assay profile` says: what was counted of kernels beside what they claim.
#pragma once

#include <string>
#include <vector>

#include "harness/profile/profiler.hpp"

namespace assay::profile {

/// The kernel with the problem that it was counted on, and a row for each counter: measured, claimed, whether
/// they agree. Where nothing could be counted, one line that says why. An empty line ends it.
std::string profile_text(const ProfileTask& task);

/// It was counted, and every claim of its entry holds; an entry that claims nothing has none that does not.
bool claims_hold(const ProfileTask& task);

/// "2 of 3 kernels do what they claim; 4 claim nothing", a line.
std::string claims_summary(const std::vector<ProfileTask>& tasks);

/// 1 where a claim differs, else 2 where a kernel could not be counted, else 0.
int exit_status(const std::vector<ProfileTask>& tasks);

}  // namespace assay::profile
