// Vectors in clang's spelling. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>
#include <vector>

#include "harness/metal/clang/edits.hpp"
#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// `typedef half half4_t __attribute__((ext_vector_type(4)));`, `using half4_t = ...`, with and without a
/// template ahead, and `half __attribute__((ext_vector_type(4))) x;` become those of the library, which has
/// Metal's components and functions: `metal::vec<half, 4>`.
std::unique_ptr<clang::ASTConsumer> vector_types(Edits& edits, std::vector<Diagnostic>& errors);

}  // namespace assay::metal
