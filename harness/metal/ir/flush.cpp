#include "harness/metal/ir/flush.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <vector>

namespace assay::metal {
namespace {

using namespace llvm;

bool is_arithmetic_on_halves(const Instruction& one) {
  if (!one.getType()->getScalarType()->isHalfTy()) return false;
  switch (one.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
      return true;
    default:
      return false;
  }
}

// Where no bit of the exponent is set, the sign alone.
Value* flushed(IRBuilder<>& b, Value* value) {
  Type* const words = value->getType()->getWithNewType(b.getInt16Ty());
  Value* const bits = b.CreateBitCast(value, words);
  Value* const normal =
      b.CreateICmpNE(b.CreateAnd(bits, ConstantInt::get(words, 0x7C00)), ConstantInt::get(words, 0));
  Value* const zero = b.CreateBitCast(b.CreateAnd(bits, ConstantInt::get(words, 0x8000)), value->getType());
  return b.CreateSelect(normal, value, zero);
}

}  // namespace

void flush_halves(Module& module) {
  for (Function& function : module) {
    std::vector<Instruction*> all;
    for (Instruction& one : instructions(function))
      if (is_arithmetic_on_halves(one)) all.push_back(&one);
    for (Instruction* one : all) {
      IRBuilder<> b(one);
      one->setOperand(0, flushed(b, one->getOperand(0)));
      one->setOperand(1, flushed(b, one->getOperand(1)));
      b.SetInsertPoint(one->getNextNode());
      b.SetCurrentDebugLocation(one->getDebugLoc());
      std::vector<Use*> uses;
      for (Use& use : one->uses()) uses.push_back(&use);
      Value* const result = flushed(b, one);
      for (Use* use : uses) use->set(result);
    }
  }
}

}  // namespace assay::metal
