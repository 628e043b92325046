// Slips that C++ takes for something else, and Apple's compiler refuses. Clang's types stay within this
// folder.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Says where a pointer or a reference does not say which memory it leads to, where a vector is made of too
/// few numbers, and where an atomic float in threadgroup memory is used.
std::unique_ptr<clang::ASTConsumer> slips(std::vector<Diagnostic>& errors);

}  // namespace assay::metal
