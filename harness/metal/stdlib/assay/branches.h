// Conditions of a kernel that was instrumented to say which of them it saw true and false
// (harness/metal/text/branches.hpp). Nothing of it is in the code of other kernels.
#pragma once

/// The simulator's: at [2 n + 1] whether condition n was true, at [2 n] whether it was false.
extern "C" unsigned char assay_seen_branches[];

/// Condition n, noted. What the compiler computes is not seen.
constexpr bool assay_seen(unsigned n, bool taken) {
  if (!__builtin_is_constant_evaluated()) assay_seen_branches[2 * n + (taken ? 1 : 0)] = 1;
  return taken;
}
