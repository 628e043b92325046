// Contraction: a product and a sum that round once.
#pragma once

#include <llvm/IR/Module.h>

#include "harness/metal/ir/text_places.hpp"

namespace assay::metal {

/// Are there products of bfloats? Their vectors are passed as words, which hide what is in them.
bool multiplies_bfloats(const llvm::Module& module);

/// `a * b + c`, `c - a * b` and so on, of what the text has written and may be contracted, become calls of
/// what the library offers for it (stdlib/assay/arithmetic.h), where it does for their type: LLVM contracts
/// no halves that the processor has no instruction for. A product is contracted that nothing else asks for,
/// over statements and over functions that are inlined; of two, the one on the right.
void contract(llvm::Module& module, const TextPlaces& places);

}  // namespace assay::metal
