// Assignments of unions that have vectors among their members.
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Gives each union of the text that has vectors among its members an assignment, and each struct that has
/// such a union without a name of its own: in Metal they are assigned as a whole, and in C++ they are not,
/// since the library's vectors have an assignment of their own. A struct that has no name gets one, which is
/// its typedef's if it has that. Unions of numbers alone stay as they are: with an assignment they would lie
/// otherwise in what is packed.
void assign_unions(TokenText& text);

}  // namespace assay::metal
