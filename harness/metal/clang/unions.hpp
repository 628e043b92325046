// Assignments of unions that have vectors among their members. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>

#include "harness/metal/clang/edits.hpp"

namespace assay::metal {

/// In Metal they are assigned as a whole, and in C++ they are not, since the library's vectors have an
/// assignment of their own. Where clang has missed one: gives each union of the text whose assignment is
/// deleted an assignment, and each struct that has such a union without a name of its own. A struct that has
/// no name gets one, which is its typedef's if it has that.
void assign_unions(const clang::ASTContext& context, Edits& edits);

}  // namespace assay::metal
