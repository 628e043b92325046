// `c ? a : b` of a bfloat and of another number: Metal converts the bfloat. To clang each converts to the
// other, since the bfloat is a class of the stand-in library, and there is no choice.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include "harness/metal/clang/edits.hpp"

namespace assay::metal {

/// If clang complains of such a conditional of the text itself: a function around each of its branches that
/// leaves any other number as it is.
void widen_branches(const clang::Diagnostic& complaint, Edits& edits);

}  // namespace assay::metal
