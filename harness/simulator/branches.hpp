// What instrumented kernels noted of their conditions (harness/metal/text/branches.hpp), in this process.
#pragma once

#include <cstddef>

namespace assay::simulator {

/// A kernel with more may not be run.
inline constexpr std::size_t kMostConditions = std::size_t{1} << 15;

/// Whether condition n was true, or was false, since the process began.
bool seen_branch(std::size_t condition, bool taken);

}  // namespace assay::simulator
