// Numbers and vectors of numbers, as the passes over arithmetic take them apart.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>

namespace assay::metal {

/// What `of` makes of each element of the operands, which have one type; of themselves where they are no
/// vectors.
template <class Of>
llvm::Value* each_element(llvm::IRBuilder<>& b, llvm::ArrayRef<llvm::Value*> operands, Of&& of) {
  const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(operands[0]->getType());
  if (type == nullptr) return of(operands);
  llvm::Value* all = nullptr;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    llvm::SmallVector<llvm::Value*, 3> elements;
    for (llvm::Value* operand : operands) elements.push_back(b.CreateExtractElement(operand, i));
    llvm::Value* const one = of(elements);
    if (all == nullptr)
      all = llvm::PoisonValue::get(llvm::FixedVectorType::get(one->getType(), type->getNumElements()));
    all = b.CreateInsertElement(all, one, i);
  }
  return all;
}

/// The same number, which LLVM takes for any number at all.
inline llvm::Value* hidden_value(llvm::IRBuilder<>& b, llvm::Value* value) {
  return each_element(b, value, [&](llvm::ArrayRef<llvm::Value*> one) {
    llvm::Type* const type = one[0]->getType();
    auto* const word = b.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits()));
    auto* const nothing =
        llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false), "", "=r,0", false);
    return b.CreateBitCast(b.CreateCall(nothing, {b.CreateBitCast(one[0], word)}), type);
  });
}

}  // namespace assay::metal
