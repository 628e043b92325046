#include "harness/metal/ir/regroup.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <optional>
#include <vector>

namespace assay::metal {
namespace {

using namespace llvm;

struct Term {
  Value* value;
  bool negative;
};

bool may_move(const Value* value) {
  const auto* const one = dyn_cast<Instruction>(value);
  return one != nullptr && isa<FPMathOperator>(one) && one->hasAllowReassoc() && one->hasNoSignedZeros();
}

bool is_sum(const Value* value) {
  const auto* const one = dyn_cast<BinaryOperator>(value);
  return one != nullptr && may_move(one) &&
         (one->getOpcode() == Instruction::FAdd || one->getOpcode() == Instruction::FSub);
}

bool is_product(const Value* value) {
  const auto* const one = dyn_cast<BinaryOperator>(value);
  return one != nullptr && may_move(one) && one->getOpcode() == Instruction::FMul;
}

/// What an operation of a chain is part of: nothing else asks for it.
bool belongs_to(const Value* operand, const Instruction& root, bool (*is)(const Value*)) {
  return is(operand) && operand->hasOneUse() && cast<Instruction>(operand)->getParent() == root.getParent();
}

void terms_of(Value* value, bool negative, const Instruction& root, bool (*is)(const Value*),
              std::vector<Term>& terms) {
  if (value != &root && !belongs_to(value, root, is)) {
    terms.push_back({value, negative});
    return;
  }
  auto* const one = cast<BinaryOperator>(value);
  terms_of(one->getOperand(0), negative, root, is, terms);
  terms_of(one->getOperand(1), negative != (one->getOpcode() == Instruction::FSub), root, is, terms);
}

Value* sum_of(const std::vector<Term>& terms, IRBuilder<>& b) {
  Value* sum = terms.back().negative ? b.CreateFNeg(terms.back().value) : terms.back().value;
  for (std::size_t i = terms.size() - 1; i-- > 0;)
    sum = terms[i].negative ? b.CreateFSub(sum, terms[i].value) : b.CreateFAdd(sum, terms[i].value);
  return sum;
}

Value* product_of(const std::vector<Term>& terms, IRBuilder<>& b) {
  Value* product = terms.back().value;
  for (std::size_t i = terms.size() - 1; i-- > 0;) product = b.CreateFMul(product, terms[i].value);
  return product;
}

// Do constants among the factors make a number of their own? No compiler puts those together whose product is
// infinite or subnormal.
bool fit_together(const std::vector<Term>& factors) {
  std::optional<APFloat> product;
  for (const Term& one : factors) {
    const auto* const constant = dyn_cast<ConstantFP>(one.value);
    if (constant == nullptr) continue;
    if (!product) {
      product = constant->getValueAPF();
      continue;
    }
    product->multiply(constant->getValueAPF(), APFloat::rmNearestTiesToEven);
    if (!product->isNormal()) return false;
  }
  return true;
}

bool regroup(Function& function, bool (*is)(const Value*),
             Value* (*made_of)(const std::vector<Term>&, IRBuilder<>&)) {
  std::vector<BinaryOperator*> roots;
  for (Instruction& one : instructions(function)) {
    if (!is(&one)) continue;
    const bool inner =
        one.hasOneUse() && belongs_to(&one, *cast<Instruction>(one.user_back()), is) && is(one.user_back());
    if (!inner) roots.push_back(cast<BinaryOperator>(&one));
  }
  bool changed = false;
  for (BinaryOperator* root : roots) {
    std::vector<Term> terms;
    terms_of(root, false, *root, is, terms);
    if (terms.size() < 3 || (is == is_product && !fit_together(terms))) continue;
    IRBuilder<> b(root);
    b.setFastMathFlags(root->getFastMathFlags());
    Value* const made = made_of(terms, b);
    made->takeName(root);
    root->replaceAllUsesWith(made);
    changed = true;
  }
  return changed;
}

}  // namespace

PreservedAnalyses Regroup::run(Function& function, FunctionAnalysisManager&) {
  const bool sums = regroup(function, is_sum, sum_of), products = regroup(function, is_product, product_of);
  if (!sums && !products) return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

}  // namespace assay::metal
