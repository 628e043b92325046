// Where constants lie.
#pragma once

#include <llvm/IR/Module.h>

namespace assay::metal {

/// Puts each constant of the module, string literals among them, between two stretches that are no
/// constant's, so that what is read past the end of one is not another. constants_of() finds them by their
/// symbols.
void make_room_between_constants(llvm::Module& module);

}  // namespace assay::metal
