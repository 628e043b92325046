// Metal has no double. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace assay::metal {

/// Gives each literal of a real number in a template the type float. -cl-single-precision-constant converts
/// what such a literal stands for, and that is lost where a template is made.
std::unique_ptr<clang::ASTConsumer> literals();

}  // namespace assay::metal
