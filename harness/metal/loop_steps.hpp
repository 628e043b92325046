// The loops of a text; loops that count their rounds, so that a kernel can be stopped after so many: the same
// place on any machine.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Makes every loop of the text take a step at the beginning of each round (stdlib/assay/steps.h). Metal has
/// no `goto` and no recursion: what does not end takes steps without end.
void count_loop_steps(TokenText& text);

/// The lines of a loop in its file.
struct LoopLines {
  std::uint32_t first = 0, last = 0;  ///< of its first word and of its last token
  /// It calls one function, atomic loads aside: so it only waits if that function is an atomic.
  bool calls_one = false;
};

/// Every loop of the text, in no order.
std::vector<LoopLines> loops_of(TokenText text);

}  // namespace assay::metal
