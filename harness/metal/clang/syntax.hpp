// What the tree says of the words of a text: which are operators, calls, statements, conditions. Clang's
// types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>

#include "harness/metal/text/outline.hpp"

namespace assay::metal {

/// Of all that the text declares, as it is written: templates, and none of their instances.
Syntax syntax_of(const clang::ASTContext& context);

}  // namespace assay::metal
