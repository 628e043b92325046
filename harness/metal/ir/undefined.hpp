// What Metal leaves undefined, and LLVM would reason from: made what the simulator says.
#pragma once

#include <llvm/IR/Module.h>

#include "harness/metal/ir/sites.hpp"

namespace assay::metal {

/// Integer divisions by 0, or of the least number by -1, ask the simulator for a result; shifts by as many
/// bits as there are, or more, shift by what is left of the count; signed sums wrap around, and in `checked`
/// code ask the simulator where they do. What clang's own checks of shifts and conversions call is the
/// simulator's: in checked code with the place, in fast code the end of the lane.
void define_the_undefined(llvm::Module& module, Sites& sites, bool checked);

}  // namespace assay::metal
