// Variables in threadgroup memory: from a lane's stack to the slots of its threadgroup.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

namespace assay::metal {

/// What the annotation of such a variable begins with; the number of its slot follows.
inline constexpr llvm::StringRef kSlotAnnotation = "threadgroup_slot:";

/// Puts those that are annotated where their slot is (stdlib/assay/runtime.h), and notes how large they are.
void place_threadgroup_variables(llvm::Module& module);

}  // namespace assay::metal
