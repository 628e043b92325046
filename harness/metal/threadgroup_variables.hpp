// Variables in threadgroup memory.
#pragma once

#include <string>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Turns variables declared in threadgroup memory into references to their slot of the arena:
/// `threadgroup half A[64][32], b;` becomes
/// `typedef half assay_b0; typedef assay_b0 assay_t0[64][32]; assay_t0& A = assay_slot<0, assay_t0>(); ...`.
/// Pointers and references to threadgroup memory are left alone. Returns the names, by slot.
/// `space` is written ahead of each reference. Throws CompileError where such a variable has an initialiser.
std::vector<std::string> place_threadgroup_variables(TokenText& text, const std::string& space = {});

}  // namespace assay::metal
