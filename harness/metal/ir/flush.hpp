// Subnormal halves where arithmetic flushes them: the processor, which flushes floats, does nothing to
// halves.
#pragma once

#include <llvm/IR/Module.h>

namespace assay::metal {

/// Operands and results of sums, differences, products and quotients of halves that are subnormal become zero
/// of their sign. What is moved, negated, compared or converted keeps its bits.
void flush_halves(llvm::Module& module);

}  // namespace assay::metal
