#include "harness/simulator/loop_steps.hpp"

#include <csignal>
#include <cstdlib>
#include <limits>

/// harness/metal/ir/steps.hpp
extern "C" {
long assay_steps_left = std::numeric_limits<long>::max();

[[noreturn]] void assay_out_of_steps() {
  std::raise(SIGPROF);
  std::abort();
}
}

namespace assay::simulator {

void allow_steps(std::int64_t steps) { assay_steps_left = steps; }

std::int64_t steps_left() { return assay_steps_left; }

}  // namespace assay::simulator
