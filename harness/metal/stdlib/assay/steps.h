// Loops of a kernel that was lowered to count their rounds (harness/metal/loop_steps.hpp). Nothing of it is in
// the code of other kernels.
#pragma once

extern "C" {
/// The simulator's: rounds of loops that may still begin.
extern long assay_steps_left;
[[noreturn]] void assay_out_of_steps();
}

#ifdef ASSAY_CHECKED
inline ASSAY_UNINSTRUMENTED
#else
ASSAY_INLINE
#endif
void assay_count_step() {
  if (__builtin_expect(--assay_steps_left < 0, false)) assay_out_of_steps();
}

/// Takes a step; false. What the compiler computes takes none.
ASSAY_INLINE constexpr bool assay_step() {
  if (!__builtin_is_constant_evaluated()) assay_count_step();
  return false;
}
