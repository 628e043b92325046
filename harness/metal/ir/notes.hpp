// What the code of a kernel says of itself while it is compiled: its variables in threadgroup memory, and the
// most threads that it is for.
#pragma once

#include <llvm/IR/Module.h>

namespace assay::metal {

/// Takes calls of assay_note_slot() and assay_note_limit() (stdlib/assay/entry.h) out of code that is
/// reached, and writes what they say as the records that KernelModule reads.
void write_notes(llvm::Module& module);

}  // namespace assay::metal
