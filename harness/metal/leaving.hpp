// Where threads leave a kernel, so that a barrier that waits for them can say where they have gone.
#pragma once

#include <cstddef>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Notes the line at every `return;` of the kernel whose body opens at this token, and at its end
/// (stdlib/assay/leave.h).
void note_leaving(TokenText& text, std::size_t body);

}  // namespace assay::metal
