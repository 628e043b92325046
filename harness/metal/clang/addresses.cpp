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

class Announcer {
 public:
  Announcer(llvm::Module& module, const std::set<Diagnostic::Place>& casts) : module_(module), casts_(casts) {
    for (const auto& place : casts) lines_.insert({place.file, place.line});
  }

  void run(llvm::Function& function) {
    std::vector<llvm::Instruction*> all;
    for (llvm::Instruction& one : llvm::instructions(function)) all.push_back(&one);
    for (llvm::Instruction* one : all) take(*one);
  }

 private:
  void take(llvm::Instruction& one) {
    const llvm::DILocation* const at = one.getDebugLoc().get();
    if (at == nullptr) return;
    if (auto* made = llvm::dyn_cast<llvm::PtrToIntInst>(&one)) {
      if (is_one_of(casts_, at)) announce(one, made->getPointerOperand());
    } else if (in_a_line_of_casts(*at) && !is_of_check(one)) {
      // The address of a constant is part of what it is an operand of.
      for (const llvm::Use& operand : one.operands()) {
        const auto* const number = llvm::dyn_cast<llvm::ConstantExpr>(operand.get());
        if (number != nullptr && number->getOpcode() == llvm::Instruction::PtrToInt)
          announce(one, number->getOperand(0));
      }
    }
  }

  // clang's own checks look at the last bits of addresses.
  static bool is_of_check(const llvm::Instruction& one) {
    const bool compared = one.hasOneUse() && llvm::isa<llvm::ICmpInst>(one.user_back());
    if (one.getOpcode() != llvm::Instruction::And || !compared) return false;
    return llvm::any_of(llvm::successors(one.getParent()), [](const llvm::BasicBlock* next) {
      return llvm::any_of(*next, [](const llvm::Instruction& there) {
        const auto* const call = llvm::dyn_cast<llvm::CallBase>(&there);
        const llvm::Function* const called = call != nullptr ? call->getCalledFunction() : nullptr;
        return called != nullptr && called->getName().starts_with("__ubsan_handle_type_mismatch");
      });
    });
  }

  bool in_a_line_of_casts(const llvm::DILocation& at) const {
    return lines_.contains({at.getFilename().str(), at.getLine()}) ||
           lines_.contains({file_name(at), at.getLine()});
  }

  void announce(llvm::Instruction& one, llvm::Value* address) {
    llvm::IRBuilder<> b(llvm::isa<llvm::PHINode>(one) ? &*one.getParent()->getFirstInsertionPt() : &one);
    const llvm::DILocation& at = *one.getDebugLoc();
    llvm::Constant*& file = files_[file_name(at)];
    if (file == nullptr) file = b.CreateGlobalString(file_name(at), "", 0, &module_);
    b.CreateCall(module_.getOrInsertFunction("assay_address_as_number", b.getVoidTy(), b.getPtrTy(),
                                             b.getInt32Ty(), b.getPtrTy()),
                 {address, b.getInt32(at.getLine()), file});
  }

  llvm::Module& module_;
  const std::set<Diagnostic::Place>& casts_;
  std::set<std::pair<std::string, unsigned>> lines_;
  std::map<std::string, llvm::Constant*> files_;
};

}  // namespace

void announce_addresses(llvm::Module& module, const std::set<Diagnostic::Place>& casts) {
  if (casts.empty()) return;
  Announcer announcer(module, casts);
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) announcer.run(function);
}

}  // namespace assay::metal
