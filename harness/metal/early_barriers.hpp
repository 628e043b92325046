// Finds the simdgroup barriers that only lane 0 has to wait at.
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Between two simdgroup barriers there is often nothing but work on simdgroup matrices, which lane 0 does
/// for all: the others need not stop at the first of the two. Renames that one to `assay_early_barrier`
/// (assay/early_barrier.h), which saves every other lane a switch. The text's order of accesses stays: what
/// the other lanes pass over makes none.
void mark_early_barriers(TokenText& text);

}  // namespace assay::metal
