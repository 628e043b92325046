#include "harness/metal/clang/addresses.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <vector>

#include "harness/metal/clang/debug_places.hpp"

namespace assay::metal {
namespace {

using namespace llvm;

class Announcer {
 public:
  Announcer(Module& module, const std::set<Diagnostic::Place>& casts) : module_(module), casts_(casts) {
    for (const auto& place : casts) lines_.insert({place.file, place.line});
  }

  void run(Function& function) {
    std::vector<Instruction*> all;
    for (Instruction& one : instructions(function)) all.push_back(&one);
    for (Instruction* one : all) take(*one);
  }

 private:
  void take(Instruction& one) {
    const DILocation* const at = one.getDebugLoc().get();
    if (at == nullptr) return;
    if (auto* made = dyn_cast<PtrToIntInst>(&one)) {
      if (is_one_of(casts_, at)) announce(one, made->getPointerOperand());
    } else if (in_a_line_of_casts(*at) && !is_of_check(one)) {
      // The address of a constant is part of what it is an operand of.
      for (const Use& operand : one.operands()) {
        const auto* const number = dyn_cast<ConstantExpr>(operand.get());
        if (number != nullptr && number->getOpcode() == Instruction::PtrToInt)
          announce(one, number->getOperand(0));
      }
    }
  }

  // clang's own checks look at the last bits of addresses.
  static bool is_of_check(const Instruction& one) {
    const bool compared = one.hasOneUse() && isa<ICmpInst>(one.user_back());
    if (one.getOpcode() != Instruction::And || !compared) return false;
    return any_of(successors(one.getParent()), [](const BasicBlock* next) {
      return any_of(*next, [](const Instruction& there) {
        const auto* const call = dyn_cast<CallBase>(&there);
        const Function* const called = call != nullptr ? call->getCalledFunction() : nullptr;
        return called != nullptr && called->getName().starts_with("__ubsan_handle_type_mismatch");
      });
    });
  }

  bool in_a_line_of_casts(const DILocation& at) const {
    return lines_.contains({at.getFilename().str(), at.getLine()}) ||
           lines_.contains({file_name(at), at.getLine()});
  }

  void announce(Instruction& one, Value* address) {
    IRBuilder<> b(isa<PHINode>(one) ? &*one.getParent()->getFirstInsertionPt() : &one);
    const DILocation& at = *one.getDebugLoc();
    Constant*& file = files_[file_name(at)];
    if (file == nullptr) file = b.CreateGlobalString(file_name(at), "", 0, &module_);
    b.CreateCall(module_.getOrInsertFunction("assay_address_as_number", b.getVoidTy(), b.getPtrTy(),
                                             b.getInt32Ty(), b.getPtrTy()),
                 {address, b.getInt32(at.getLine()), file});
  }

  Module& module_;
  const std::set<Diagnostic::Place>& casts_;
  std::set<std::pair<std::string, unsigned>> lines_;
  std::map<std::string, Constant*> files_;
};

}  // namespace

void announce_addresses(Module& module, const std::set<Diagnostic::Place>& casts) {
  if (casts.empty()) return;
  Announcer announcer(module, casts);
  for (Function& function : module)
    if (!function.isDeclaration()) announcer.run(function);
}

}  // namespace assay::metal
