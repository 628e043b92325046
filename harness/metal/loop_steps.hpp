// Loops that count their rounds, so that a kernel can be stopped after so many: the same place on any machine.
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Makes every loop of the text take a step at the beginning of each round (stdlib/assay/steps.h). Metal has
/// no `goto` and no recursion: what does not end takes steps without end.
void count_loop_steps(TokenText& text);

}  // namespace assay::metal
