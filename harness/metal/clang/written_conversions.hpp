// Conversions to integers that saturate, where the author of a kernel accepts that (docs/manifest.md,
// `accept`).
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <set>
#include <string>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Notes where a text writes out a conversion of a floating-point number to an integer: `int(x)`, `(int)x`,
/// `static_cast<int>(x)`. `places` are complete when the text is.
std::unique_ptr<clang::ASTConsumer> written_conversions(std::set<Diagnostic::Place>& places);

/// Those conversions give the nearest number that their type holds, and 0 of NaN, and are not checked; so do
/// those of the library (stdlib/metal/type_traits.h), which are of vectors that the text converts. The module
/// is as clang has made it.
void saturate_conversions(llvm::Module& module, const std::set<Diagnostic::Place>& places,
                          const std::string& library);

}  // namespace assay::metal
