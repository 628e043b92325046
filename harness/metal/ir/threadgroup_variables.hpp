// Variables in threadgroup memory: from a lane's stack to the slots of its threadgroup.
#pragma once

#include <llvm/IR/Module.h>

namespace assay::metal {

/// Puts those that are annotated so (kSlotAnnotation) where their slot is (stdlib/assay/runtime.h), and notes
/// how large they are. No annotation is left: what the words of Metal were to the tree they are not to code.
void place_threadgroup_variables(llvm::Module& module);

}  // namespace assay::metal
