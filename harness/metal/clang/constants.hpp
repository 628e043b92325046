// Values of constants, which nothing but the compiler may compute.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Refuses variables of the program, and what is `constexpr`, whose value follows from something else than
/// constants and functions that are `constexpr` or the library's. Whether it can be computed, the passes say.
std::unique_ptr<clang::ASTConsumer> constants_checker(std::string library, std::vector<Diagnostic>& errors);

}  // namespace assay::metal
