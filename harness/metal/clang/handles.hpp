// Textures and samplers in memory: the members of argument buffers. Clang's types stay within this folder.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// A texture or a sampler in a struct that the kernel's parameters lead to has no bytes here that a launch
/// could write: one that the text names is refused. What copies the struct, and reads nothing through the
/// handle, needs none.
void refuse_handles_in_memory(const clang::ASTContext& context, const clang::FunctionDecl& kernel,
                              std::vector<Diagnostic>& errors);

}  // namespace assay::metal
