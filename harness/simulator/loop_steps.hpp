// How many rounds the loops of a kernel may go that was compiled to count them
// (harness/metal/ir/steps.hpp).
#pragma once

#include <cstdint>

namespace assay::simulator {

/// From now on, in this process. The one that begins a round too many ends the process by SIGPROF, as one
/// ends that has used up its processor time.
void allow_steps(std::int64_t steps);

std::int64_t steps_left();

}  // namespace assay::simulator
