// C++ that Metal does not have, and that clang would take.
#pragma once

#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// Throws CompileError for
///   - operations on atomic floats in threadgroup memory;
///   - vectors that are made of too few numbers, `float4(1, 2)`;
///   - pointers and references to a type without an address space, `float* p`. Those to what a template's
///     parameter names, which may bring a space of its own, and to names that `typedef` or `using` give are
///     let pass.
/// Others are refused by clang's tree (clang/refusals.hpp), and by passes over IR.
void refuse_what_metal_lacks(const TokenText& text, const std::vector<Declaration>& declarations);

}  // namespace assay::metal
