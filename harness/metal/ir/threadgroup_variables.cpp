#include "harness/metal/ir/threadgroup_variables.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "harness/metal/clang/reader.hpp"
#include "harness/metal/stdlib/assay/runtime.h"

namespace assay::metal {
namespace {

using namespace llvm;

struct Variable {
  AllocaInst* in_stack;
  std::uint64_t slot;
};

std::vector<Variable> variables_of(Function& function) {
  std::vector<Variable> found;
  for (Instruction& one : instructions(function)) {
    auto* const note = dyn_cast<IntrinsicInst>(&one);
    if (note == nullptr || note->getIntrinsicID() != Intrinsic::var_annotation) continue;
    StringRef text;
    std::uint64_t slot = 0;
    if (!getConstantStringInfo(note->getArgOperand(1), text) || !text.consume_front(kSlotAnnotation) ||
        text.getAsInteger(10, slot))
      continue;
    if (auto* variable = dyn_cast<AllocaInst>(note->getArgOperand(0)->stripPointerCasts()))
      found.push_back({variable, slot});
  }
  return found;
}

Value* base_of(Module& module, IRBuilder<>& b) {
  auto* const base = cast<GlobalVariable>(module.getOrInsertGlobal("assay_threadgroup_memory", b.getPtrTy()));
  base->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
  return b.CreateLoad(b.getPtrTy(), b.CreateThreadLocalAddress(base));
}

void drop_annotations(Module& module) {
  for (Function& function : module) {
    for (Instruction& one : make_early_inc_range(instructions(function))) {
      const auto* const call = dyn_cast<IntrinsicInst>(&one);
      if (call == nullptr) continue;
      const auto of = call->getIntrinsicID();
      if (of == Intrinsic::ptr_annotation) one.replaceAllUsesWith(call->getArgOperand(0));
      if (of == Intrinsic::ptr_annotation || of == Intrinsic::var_annotation) one.eraseFromParent();
    }
  }
  if (GlobalVariable* const all = module.getNamedGlobal("llvm.global.annotations")) all->eraseFromParent();
}

}  // namespace

void place_threadgroup_variables(Module& module) {
  for (Function& function : module) {
    for (const auto& [variable, slot] : variables_of(function)) {
      IRBuilder<> b(variable);
      Value* const place =
          b.CreateGEP(b.getInt8Ty(), base_of(module, b), {b.getInt64(slot * ASSAY_SLOT_STRIDE)});
      const auto size = variable->getAllocationSize(module.getDataLayout());
      const FunctionCallee noted =
          module.getOrInsertFunction("assay_note_slot", b.getVoidTy(), b.getInt32Ty(), b.getInt32Ty());
      b.CreateCall(noted, {b.getInt32(static_cast<std::uint32_t>(slot)),
                           b.getInt32(static_cast<std::uint32_t>(size->getFixedValue()))});
      for (User* user : make_early_inc_range(variable->users())) {
        if (auto* const mark = dyn_cast<IntrinsicInst>(user); mark != nullptr && mark->isLifetimeStartOrEnd())
          mark->eraseFromParent();
      }
      variable->replaceAllUsesWith(place);
      variable->eraseFromParent();
    }
  }
  drop_annotations(module);
}

}  // namespace assay::metal
