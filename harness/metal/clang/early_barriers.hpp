// Finds the simdgroup barriers that only lane 0 has to wait at. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace assay::metal {

/// Between two simdgroup barriers there is often nothing but work on simdgroup matrices, which lane 0 does
/// for all: the others need not stop at the first of the two. That one becomes `assay_early_barrier`
/// (assay/early_barrier.h), which saves every other lane a switch. The text's order of accesses stays: what
/// the other lanes pass over makes none.
std::unique_ptr<clang::ASTConsumer> early_barriers();

}  // namespace assay::metal
