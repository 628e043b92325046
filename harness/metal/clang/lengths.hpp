// Lengths of vectors that a template deduces, as any integer: `template <uint N> float sum(vec<float, N> v)`.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace assay::metal {

/// Makes parameters of templates that are a length of the library's `vec` or `matrix` an `int`, as theirs is:
/// C++ deduces no parameter of another type. As soon as a template is declared, ahead of whoever uses it.
std::unique_ptr<clang::ASTConsumer> lengths_of_any_type();

}  // namespace assay::metal
