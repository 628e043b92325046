#include "harness/metal/ir/arithmetic.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "harness/metal/ir/contract.hpp"
#include "harness/metal/ir/flush.hpp"
#include "harness/metal/ir/quotients.hpp"
#include "harness/metal/ir/text_places.hpp"
#include "harness/metal/ir/values.hpp"

namespace assay::metal {
namespace {

using namespace llvm;

// Does a pragma forbid what the mode does?
bool forbids(ArithmeticRules rules, Arithmetic mode) {
  if (mode == Arithmetic::contracted) return !rules.contract;
  if (mode == Arithmetic::reassociated) return !rules.reassociate;
  return mode == Arithmetic::relaxed && !(rules.contract && rules.reassociate);
}

bool may_anything(const Instruction& one) {
  if (!isa<FPMathOperator>(one)) return false;
  const FastMathFlags flags = one.getFastMathFlags();
  return flags.allowContract() || flags.allowReassoc();
}

bool is_arithmetic(const Value* value) {
  const auto* const one = dyn_cast<BinaryOperator>(value);
  return one != nullptr && one->getType()->isFPOrFPVectorTy();
}

// Of what may not be regrouped, the result: not everything in LLVM asks whether what it takes apart may be.
void hide_results(Module& module, Arithmetic mode, const TextPlaces& places) {
  std::vector<Instruction*> results;
  for (Function& function : module) {
    for (Instruction& one : instructions(function)) {
      if (!is_arithmetic(&one) || one.use_empty() || may_anything(one) || !forbids(places.rules(one), mode))
        continue;
      if (any_of(one.users(), [](const User* user) {
            return !is_arithmetic(user) || may_anything(*cast<Instruction>(user));
          }))
        results.push_back(&one);
    }
  }
  for (Instruction* one : results) {
    IRBuilder<> b(one->getNextNode());
    b.SetCurrentDebugLocation(one->getDebugLoc());
    // What hides it uses it, and is not to use itself.
    std::vector<Use*> uses;
    for (Use& use : one->uses()) uses.push_back(&use);
    Value* const hidden = hidden_value(b, one);
    for (Use* use : uses) use->set(hidden);
  }
}

}  // namespace

void obey_pragmas(Module& module, Arithmetic mode, const std::string& library) {
  const TextPlaces places(module, library);
  for (Function& function : module) {
    for (Instruction& one : instructions(function)) {
      if (!isa<FPMathOperator>(one) || !forbids(places.rules(one), mode)) continue;
      one.copyFastMathFlags(FastMathFlags());
    }
  }
}

void change_arithmetic(Module& module, Arithmetic mode, const std::string& library) {
  const TextPlaces places(module, library);
  if (mode == Arithmetic::contracted) contract(module, places);
  if (mode == Arithmetic::relaxed) write_reciprocals(module, places);
  if (mode == Arithmetic::approximate) grant_quotients(module, places);
  if (mode == Arithmetic::flushed) flush_halves(module);
  if (mode == Arithmetic::reassociated || mode == Arithmetic::relaxed) hide_results(module, mode, places);
  // What nobody has called may go.
  removeFromUsedLists(module, [](Constant* one) { return one->getName().starts_with("assay_called_"); });
}

}  // namespace assay::metal
