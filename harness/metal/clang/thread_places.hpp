// How a kernel finds a thread's share of the work. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>

#include <vector>

#include "harness/metal/text/outline.hpp"

namespace assay::metal {

/// Of the code that the kernel runs, `functions`, itself first: strides, begins and arrays.
void outline_shares(const clang::ASTContext& context,
                    const std::vector<const clang::FunctionDecl*>& functions, Outline& outline);

}  // namespace assay::metal
