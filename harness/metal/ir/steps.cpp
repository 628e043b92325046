#include "harness/metal/ir/steps.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

namespace assay::metal {
namespace {

using namespace llvm;

bool is_of_text(const Loop& loop, const std::string& library) {
  const DebugLoc at = loop.getStartLoc();
  return at && !at->getFilename().starts_with(library);
}

std::vector<BasicBlock*> heads_in(Function& function, const std::string& library) {
  const DominatorTree order(function);
  const LoopInfo loops(order);
  std::vector<BasicBlock*> heads;
  for (const Loop* loop : loops.getLoopsInPreorder())
    if (is_of_text(*loop, library)) heads.push_back(loop->getHeader());
  return heads;
}

void take_step(BasicBlock& head, GlobalVariable& left, FunctionCallee out_of_steps) {
  IRBuilder<> b(&head, head.getFirstInsertionPt());
  Value* const rest = b.CreateSub(b.CreateLoad(b.getInt64Ty(), &left), b.getInt64(1));
  b.CreateStore(rest, &left);
  Instruction* const ends =
      SplitBlockAndInsertIfThen(b.CreateICmpSLT(rest, b.getInt64(0)), b.GetInsertPoint(), true,
                                MDBuilder(head.getContext()).createUnlikelyBranchWeights());
  IRBuilder<>(ends).CreateCall(out_of_steps)->setDoesNotReturn();
}

}  // namespace

void count_steps(Module& module, const std::string& library) {
  auto& context = module.getContext();
  auto* const left =
      cast<GlobalVariable>(module.getOrInsertGlobal("assay_steps_left", Type::getInt64Ty(context)));
  const FunctionCallee out_of_steps =
      module.getOrInsertFunction("assay_out_of_steps", Type::getVoidTy(context));
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    for (BasicBlock* head : heads_in(function, library)) take_step(*head, *left, out_of_steps);
  }
}

}  // namespace assay::metal
