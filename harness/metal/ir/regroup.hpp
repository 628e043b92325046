// Arithmetic that Metal's compiler may regroup, regrouped: the other way round.
#pragma once

#include <llvm/IR/PassManager.h>

namespace assay::metal {

/// Sums of three or more terms, and products of three or more factors, whose operations may be reassociated
/// begin at their last one. Which order a compiler takes is its own affair; this one is the same on every
/// processor, and far from what is written.
class Regroup : public llvm::PassInfoMixin<Regroup> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace assay::metal
