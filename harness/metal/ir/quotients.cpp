#include "harness/metal/ir/quotients.hpp"

#include <llvm/IR/InstIterator.h>

#include <vector>

#include "harness/metal/ir/values.hpp"

namespace assay::metal {
namespace {

using namespace llvm;

template <class Of>
void replace_quotients(Module& module, const TextPlaces& places, Of&& of) {
  std::vector<BinaryOperator*> quotients;
  for (Function& function : module) {
    for (Instruction& one : instructions(function))
      if (one.getOpcode() == Instruction::FDiv && places.wrote(one))
        quotients.push_back(cast<BinaryOperator>(&one));
  }
  for (BinaryOperator* one : quotients) {
    IRBuilder<> b(one);
    Value* const made = of(*one, b);
    if (made == nullptr) continue;
    one->replaceAllUsesWith(made);
    one->eraseFromParent();
  }
}

// A vector that is no more than how the library divides halves (stdlib/metal/half_vec.h).
bool divides_halves(const BinaryOperator& quotient, const TextPlaces& places) {
  return quotient.getType()->isVectorTy() && !places.stands_in_text(quotient);
}

bool is_power_of_two(const Value* value) {
  const auto* const constant = dyn_cast<Constant>(value);
  const auto* const one = constant == nullptr ? nullptr
                          : constant->getType()->isVectorTy()
                              ? dyn_cast_or_null<ConstantFP>(constant->getSplatValue())
                              : dyn_cast<ConstantFP>(constant);
  return one != nullptr && one->getValueAPF().getExactLog2Abs() != INT_MIN;
}

}  // namespace

void write_reciprocals(Module& module, const TextPlaces& places) {
  replace_quotients(module, places, [](BinaryOperator& quotient, IRBuilder<>& b) -> Value* {
    if (!quotient.hasAllowReciprocal()) return nullptr;
    Value* const one = ConstantFP::get(quotient.getType(), 1);
    Value* const reciprocal = hidden_value(b, b.CreateFDiv(one, quotient.getOperand(1)));
    b.setFastMathFlags(quotient.getFastMathFlags());
    return b.CreateFMul(quotient.getOperand(0), reciprocal);
  });
}

void grant_quotients(Module& module, const TextPlaces& places) {
  Function* const granted = module.getFunction("assay_called_quotient");
  if (granted == nullptr) return;
  replace_quotients(module, places, [&](BinaryOperator& quotient, IRBuilder<>& b) -> Value* {
    if (!quotient.getType()->getScalarType()->isFloatTy() || divides_halves(quotient, places) ||
        !places.rules(quotient).reassociate || is_power_of_two(quotient.getOperand(1)))
      return nullptr;
    return each_element(b, {quotient.getOperand(0), quotient.getOperand(1)},
                        [&](ArrayRef<Value*> one) { return b.CreateCall(granted, one); });
  });
}

}  // namespace assay::metal
