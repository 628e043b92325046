// What functions of the stand-in library say of themselves to the passes.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::metal {

/// Code whose accesses are announced by other means, or touch the simulator's memory only
/// (ASSAY_UNINSTRUMENTED).
inline bool is_quiet(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

}  // namespace assay::metal
