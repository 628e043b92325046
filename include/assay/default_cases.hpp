// How much a run does unless it is told otherwise.
#pragma once

#include <cstdint>

namespace assay::run {

/// Cases of a kernel in each mode. One number for users, for tests of kernels and for tests of faults: what
/// is shown with more says nothing of what a user gets.
inline constexpr std::uint64_t kDefaultCases = 200;

}  // namespace assay::run
