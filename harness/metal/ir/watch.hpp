// Checked code: every load and store that somebody else could see calls a hook of the checker.
#pragma once

#include <llvm/IR/Module.h>

#include "harness/metal/ir/sites.hpp"

namespace assay::metal {

/// Behind inlining, since the place of an access is that of the text around it, and ahead of optimisation, so
/// that every access arrives as the text has it. Left out is what provably lies within a variable of the
/// lane's own, or within a constant.
void watch_accesses(llvm::Module& module, Sites& sites);

/// Ahead of that, and of what makes values of variables: copies of whole objects say where their addresses do
/// not suit what is copied, and become one access where an access may be as large.
void watch_copies(llvm::Module& module, Sites& sites);

}  // namespace assay::metal
