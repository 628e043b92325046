#include "harness/metal/ir/own_variables.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <vector>

#include "harness/metal/ir/marks.hpp"

namespace assay::metal {
namespace {

using namespace llvm;

// Where clang fills a variable that its text gives no value (-ftrivial-auto-var-init), it says so.
bool is_filling(const Instruction& one) {
  const MDNode* const notes = one.getMetadata(LLVMContext::MD_annotation);
  return notes != nullptr && any_of(notes->operands(), [](const MDOperand& note) {
           const auto* const text = dyn_cast<MDString>(note);
           return text != nullptr && text->getString() == "auto-init";
         });
}

const Value* filled_by(const Instruction& one) {
  if (const auto* store = dyn_cast<StoreInst>(&one)) return getUnderlyingObject(store->getPointerOperand());
  if (const auto* memory = dyn_cast<MemIntrinsic>(&one)) return getUnderlyingObject(memory->getRawDest());
  return nullptr;
}

bool has_constructor(const AllocaInst& variable) {
  return any_of(variable.users(), [](const User* user) {
    const auto* const call = dyn_cast<CallBase>(user);
    const Function* const called = call != nullptr ? call->getCalledFunction() : nullptr;
    ItaniumPartialDemangler name;
    return called != nullptr && !name.partialDemangle(called->getName().str().c_str()) && name.isCtorOrDtor();
  });
}

const DILocalVariable* declaration_of(AllocaInst& variable, DebugLoc& at) {
  for (const DbgVariableRecord* one : findDVRDeclares(&variable)) {
    at = one->getDebugLoc();
    return one->getVariable();
  }
  for (const DbgDeclareInst* one : findDbgDeclares(&variable)) {
    at = one->getDebugLoc();
    return one->getVariable();
  }
  return nullptr;
}

class Announcer {
 public:
  Announcer(Module& module, const std::string& library) : module_(module), library_(library) {}

  void run(Function& function) {
    std::map<AllocaInst*, Instruction*> last;  // that fills it
    std::vector<AllocaInst*> in_order;
    for (Instruction& one : instructions(function)) {
      if (!is_filling(one)) continue;
      auto* const variable = dyn_cast_or_null<AllocaInst>(const_cast<Value*>(filled_by(one)));
      if (variable == nullptr) continue;
      if (last.emplace(variable, &one).second) in_order.push_back(variable);
      last[variable] = &one;
    }
    for (AllocaInst* variable : in_order) announce(*variable, *last[variable]);
  }

 private:
  void announce(AllocaInst& variable, Instruction& filling) {
    DebugLoc at;
    const DILocalVariable* const declared = declaration_of(variable, at);
    if (declared == nullptr || declared->getFilename().starts_with(library_) ||
        variable.getAllocatedType()->isPointerTy() || has_constructor(variable))
      return;
    const auto size = variable.getAllocationSize(module_.getDataLayout());
    if (!size || size->isScalable()) return;
    std::vector<Instruction*> ends;
    for (User* user : variable.users()) {
      auto* const mark = dyn_cast<IntrinsicInst>(user);
      if (mark != nullptr && mark->getIntrinsicID() == Intrinsic::lifetime_end) ends.push_back(mark);
    }
    IRBuilder<> b(filling.getNextNode());
    b.SetCurrentDebugLocation(at);
    const FunctionCallee begins =
        module_.getOrInsertFunction("assay_private_begins", b.getVoidTy(), b.getPtrTy(), b.getInt64Ty(),
                                    b.getInt32Ty(), b.getPtrTy(), b.getInt32Ty(), b.getPtrTy());
    b.CreateCall(begins, {&variable, b.getInt64(size->getFixedValue()), b.getInt32(number_++),
                          b.CreateGlobalString(declared->getName()), b.getInt32(declared->getLine()),
                          b.CreateGlobalString(declared->getFilename())});
    for (Instruction* end : ends)
      IRBuilder<>(end).CreateCall(
          module_.getOrInsertFunction("assay_private_ends", b.getVoidTy(), b.getPtrTy()), {&variable});
  }

  Module& module_;
  const std::string& library_;
  std::uint32_t number_ = 0;
};

}  // namespace

void announce_own_variables(Module& module, const std::string& library) {
  Announcer announcer(module, library);
  for (Function& function : module)
    if (!function.isDeclaration() && !is_quiet(function)) announcer.run(function);
}

}  // namespace assay::metal
