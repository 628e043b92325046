// Quotients that are not rounded correctly, as fast math has them.
#pragma once

#include <llvm/IR/Module.h>

#include "harness/metal/ir/text_places.hpp"

namespace assay::metal {

/// `a / b` that the text has written becomes a times the reciprocal of b, which is rounded too, where that is
/// allowed.
void write_reciprocals(llvm::Module& module, const TextPlaces& places);

/// Quotients of floats that the text has written become calls of what is as far off as fast math grants
/// (stdlib/assay/arithmetic.h): not where a pragma says that arithmetic is safe.
void grant_quotients(llvm::Module& module, const TextPlaces& places);

}  // namespace assay::metal
