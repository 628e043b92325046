// What C++ has and Metal has not. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Says of a text, in Apple's words where they are known: double, goto, lambdas before Metal 4 (unless
/// `lambdas`), addresses of labels, pointers to functions and to members that it writes out, keywords of
/// Metal as names, and variables of the file that are not `constant`. What comes once the text has `ended` is
/// ours.
std::unique_ptr<clang::ASTConsumer> refusals(bool lambdas, const bool& ended,
                                             std::vector<Diagnostic>& errors);

}  // namespace assay::metal
