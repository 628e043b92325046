#include "harness/simulator/branches.hpp"

/// stdlib/assay/branches.h
extern "C" {
unsigned char assay_seen_branches[2 * assay::simulator::kMostConditions];
}

namespace assay::simulator {

bool seen_branch(std::size_t condition, bool taken) {
  return assay_seen_branches[2 * condition + (taken ? 1 : 0)] != 0;
}

}  // namespace assay::simulator
