#include "harness/metal/ir/contract.hpp"

#include <llvm/IR/InstIterator.h>

#include <optional>
#include <vector>

#include "harness/metal/ir/values.hpp"

namespace assay::metal {
namespace {

using namespace llvm;

// bfloats are a class of the library, which adds and multiplies them by these.
constexpr const char* kSum = "assay_called_bfloat_sum";
constexpr const char* kDifference = "assay_called_bfloat_difference";
constexpr const char* kProduct = "assay_called_bfloat_product";

class Contractor {
 public:
  Contractor(Module& module, const TextPlaces& places) : module_(module), places_(places) {}

  void run() {
    for (Function& function : module_) {
      std::vector<Instruction*> sums;
      for (Instruction& one : instructions(function)) {
        if (is_sum(one) && fused_for(one) != nullptr && may(one)) sums.push_back(&one);
      }
      for (Instruction* one : sums) take(*one);
    }
    for (const char* name : {kSum, kDifference, kProduct}) {
      Function* const hook = module_.getFunction(name);
      if (hook == nullptr) continue;
      hook->removeFnAttr(Attribute::NoInline);
      hook->addFnAttr(Attribute::AlwaysInline);
    }
  }

 private:
  static bool calls(const Instruction& one, StringRef name) {
    const auto* const call = dyn_cast<CallInst>(&one);
    return call != nullptr && call->getCalledFunction() != nullptr &&
           call->getCalledFunction()->getName() == name;
  }
  static bool is_difference(const Instruction& one) {
    return one.getOpcode() == Instruction::FSub || calls(one, kDifference);
  }
  static bool is_sum(const Instruction& one) {
    return one.getOpcode() == Instruction::FAdd || calls(one, kSum) || is_difference(one);
  }

  bool may(const Instruction& one) const {
    if (isa<CallInst>(one) ? !places_.rules(one).contract : !one.hasAllowContract()) return false;
    return places_.wrote(one);
  }

  bool is_product(const Value* value) const {
    const auto* const one = dyn_cast<Instruction>(value);
    return one != nullptr && (one->getOpcode() == Instruction::FMul || calls(*one, kProduct)) &&
           one->hasOneUse() && may(*one);
  }

  Function* fused_for(const Instruction& one) const {
    const Type* const type = one.getType()->getScalarType();
    if (type->isHalfTy()) return module_.getFunction("assay_called_fused_half");
    if (type->isFloatTy()) return module_.getFunction("assay_called_fused_float");
    const bool is_bfloat = type->isBFloatTy() || isa<CallInst>(one);
    return is_bfloat ? module_.getFunction("assay_called_fused_bfloat") : nullptr;
  }

  void take(Instruction& sum) {
    IRBuilder<> b(&sum);
    Value *left = sum.getOperand(0), *right = sum.getOperand(1);
    const bool minus = is_difference(sum);
    Value* made = nullptr;
    if (is_product(right)) {
      auto* const product = cast<Instruction>(right);
      Value* const factor = product->getOperand(0);
      made = fused(sum, b, minus ? negative(b, factor) : factor, product->getOperand(1), left);
      sum.replaceAllUsesWith(made);
      sum.eraseFromParent();
      product->eraseFromParent();
    } else if (is_product(left)) {
      auto* const product = cast<Instruction>(left);
      made =
          fused(sum, b, product->getOperand(0), product->getOperand(1), minus ? negative(b, right) : right);
      sum.replaceAllUsesWith(made);
      sum.eraseFromParent();
      product->eraseFromParent();
    }
  }

  static Value* negative(IRBuilder<>& b, Value* value) {
    if (value->getType()->isFPOrFPVectorTy()) return b.CreateFNeg(value);
    return b.CreateXor(value, ConstantInt::get(value->getType(), 0x8000));  // a bfloat's bits
  }

  Value* fused(const Instruction& sum, IRBuilder<>& b, Value* x, Value* y, Value* z) const {
    Function* const hook = fused_for(sum);
    return each_element(b, {x, y, z}, [&](ArrayRef<Value*> one) -> Value* {
      Type* const type = hook->getReturnType();
      SmallVector<Value*, 3> operands;
      for (Value* operand : one) operands.push_back(b.CreateBitCast(operand, type));
      return b.CreateBitCast(b.CreateCall(hook, operands), one[0]->getType());
    });
  }

  Module& module_;
  const TextPlaces& places_;
};

}  // namespace

bool multiplies_bfloats(const Module& module) {
  const Function* const hook = module.getFunction(kProduct);
  return hook != nullptr && any_of(hook->users(), [](const User* user) { return isa<CallBase>(user); });
}

void contract(Module& module, const TextPlaces& places) { Contractor(module, places).run(); }

}  // namespace assay::metal
