// Conversions to integers that saturate, where the author of a kernel accepts that (docs/manifest.md,
// `accept`).
#pragma once

#include <llvm/IR/Module.h>

#include <set>
#include <string>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Conversions to integers at those places give the nearest number that their type holds, and 0 of NaN, and
/// are not checked; so do those of the library (stdlib/metal/type_traits.h), which are of vectors that the
/// text converts. The module is as clang has made it.
void saturate_conversions(llvm::Module& module, const std::set<Diagnostic::Place>& places,
                          const std::string& library);

}  // namespace assay::metal
