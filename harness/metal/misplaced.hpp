// What Apple's compiler refuses for where it stands or what it is called, and C++ takes.
#pragma once

#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// Throws CompileError, with Apple's reason, for
///   - variables of the file that are not in constant space;
///   - attributes of a kernel behind its parameters, or between `kernel` and its type;
///   - positions in the grid of which some are scalars and some vectors, or vectors of several lengths;
///   - `half`, `bfloat`, `kernel` and the like as names;
///   - lambda expressions, before Metal 4.
/// `declarations`: those that the kernel uses; `kernel` is one of them.
void refuse_misplaced(const TokenText& text, const std::vector<Declaration>& declarations,
                      const Declaration& kernel, unsigned metal_version);

}  // namespace assay::metal
