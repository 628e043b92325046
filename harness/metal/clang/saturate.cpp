#include "harness/metal/clang/saturate.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "harness/metal/clang/debug_places.hpp"

namespace assay::metal {
namespace {

bool is_check(const llvm::BasicBlock& block) {
  return llvm::any_of(block, [](const llvm::Instruction& one) {
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(&one);
    const llvm::Function* const called = call != nullptr ? call->getCalledFunction() : nullptr;
    return called != nullptr && (called->getIntrinsicID() == llvm::Intrinsic::ubsantrap ||
                                 called->getName() == "__ubsan_handle_float_cast_overflow");
  });
}

// Where a conversion is checked, it passes.
void pass(llvm::BranchInst& branch) {
  if (!branch.isConditional()) return;
  for (unsigned i = 0; i < 2; ++i) {
    if (is_check(*branch.getSuccessor(i)))
      branch.setCondition(llvm::ConstantInt::getBool(branch.getContext(), i == 1));
  }
}

void saturate(llvm::CastInst& conversion) {
  const auto id = conversion.getOpcode() == llvm::Instruction::FPToSI ? llvm::Intrinsic::fptosi_sat
                                                                      : llvm::Intrinsic::fptoui_sat;
  llvm::IRBuilder<> b(&conversion);
  conversion.replaceAllUsesWith(b.CreateIntrinsic(
      id, {conversion.getType(), conversion.getOperand(0)->getType()}, {conversion.getOperand(0)}));
  conversion.eraseFromParent();
}

}  // namespace

void saturate_conversions(llvm::Module& module, const std::set<Diagnostic::Place>& places,
                          const std::string& library) {
  const std::string of_library = library + "/metal/type_traits.h";
  const auto is_written = [&](const llvm::Instruction& one) {
    const llvm::DILocation* const at = one.getDebugLoc().get();
    return at != nullptr && (file_name(*at) == of_library || is_one_of(places, at));
  };
  for (llvm::Function& function : module) {
    for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&one);
      auto* const conversion = llvm::dyn_cast<llvm::CastInst>(&one);
      if (branch != nullptr && is_written(one)) pass(*branch);
      if (conversion != nullptr && is_written(one) &&
          (one.getOpcode() == llvm::Instruction::FPToSI || one.getOpcode() == llvm::Instruction::FPToUI))
        saturate(*conversion);
    }
  }
}

}  // namespace assay::metal
