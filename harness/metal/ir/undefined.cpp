#include "harness/metal/ir/undefined.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "harness/metal/clang/debug_places.hpp"
#include "harness/metal/ir/marks.hpp"

namespace assay::metal {
namespace {

using namespace llvm;

class Definer {
 public:
  Definer(Module& module, Sites& sites, bool checked)
      : module_(module), sites_(sites), checked_(checked), context_(module.getContext()) {}

  void run() {
    for (Function& function : module_) {
      if (function.isDeclaration()) continue;
      std::vector<Instruction*> all;
      for (Instruction& one : instructions(function)) all.push_back(&one);
      const bool quiet = is_quiet(function);
      for (Instruction* one : all) take(*one, quiet);
    }
  }

 private:
  void take(Instruction& one, bool quiet) {
    if (auto* call = dyn_cast<CallInst>(&one)) return answer(*call);
    auto* const operation = dyn_cast<BinaryOperator>(&one);
    if (operation == nullptr) return;
    switch (operation->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
        return wrap(*operation, quiet);
      case Instruction::Shl:
      case Instruction::LShr:
      case Instruction::AShr:
        return mask(*operation);
      case Instruction::UDiv:
      case Instruction::SDiv:
      case Instruction::URem:
      case Instruction::SRem:
        return guard(*operation);
      default:
        return;
    }
  }

  FunctionCallee hook(StringRef name, Type* result, ArrayRef<Type*> parameters) {
    return module_.getOrInsertFunction(name, FunctionType::get(result, parameters, false));
  }

  // `result` of `operation` where `rare` is false, and else what the hook gives for `usual`.
  void ask_where(Value* rare, BinaryOperator& operation, Value* result, Value* usual, StringRef name) {
    auto* const word = Type::getInt64Ty(context_);
    auto* const pointer = PointerType::getUnqual(context_);
    BasicBlock* const head = operation.getParent();
    Instruction* const asks = SplitBlockAndInsertIfThen(rare, operation.getIterator(), false,
                                                        MDBuilder(context_).createUnlikelyBranchWeights());
    IRBuilder<> b(asks);
    b.SetCurrentDebugLocation(operation.getDebugLoc());
    Value* const given = b.CreateCall(hook(name, word, {word, pointer}),
                                      {b.CreateZExtOrTrunc(usual, word), sites_.at(operation.getDebugLoc())});
    Value* const narrow = b.CreateTrunc(given, operation.getType());
    b.SetInsertPoint(&operation);
    PHINode* const both = b.CreatePHI(operation.getType(), 2);
    both->addIncoming(narrow, asks->getParent());
    both->addIncoming(result, head);
    both->takeName(&operation);
    operation.replaceAllUsesWith(both);
    operation.eraseFromParent();
  }

  void wrap(BinaryOperator& operation, bool quiet) {
    const bool signed_of_text = operation.hasNoSignedWrap();
    operation.setHasNoSignedWrap(false);
    operation.setHasNoUnsignedWrap(false);
    Type* const type = operation.getType();
    if (!checked_ || quiet || !signed_of_text || !type->isIntegerTy() || type->getIntegerBitWidth() > 64 ||
        type->getIntegerBitWidth() < 32)
      return;
    const auto id = operation.getOpcode() == Instruction::Add   ? Intrinsic::sadd_with_overflow
                    : operation.getOpcode() == Instruction::Sub ? Intrinsic::ssub_with_overflow
                                                                : Intrinsic::smul_with_overflow;
    IRBuilder<> b(&operation);
    Value* const pair =
        b.CreateBinaryIntrinsic(id, operation.getOperand(0), operation.getOperand(1), nullptr);
    Value* const sum = b.CreateExtractValue(pair, 0);
    Value* const over = b.CreateExtractValue(pair, 1);
    ask_where(over, operation, sum, sum, "assay_overflow");
  }

  void mask(BinaryOperator& shift) {
    shift.dropPoisonGeneratingFlags();
    Type* const type = shift.getType();
    const unsigned bits = type->getScalarSizeInBits();
    Value* const count = shift.getOperand(1);
    if (isa<ConstantInt>(count) && cast<ConstantInt>(count)->getValue().ult(bits)) return;
    if (!isPowerOf2_32(bits)) return;
    IRBuilder<> b(&shift);
    shift.setOperand(1, b.CreateAnd(count, ConstantInt::get(type, bits - 1)));
  }

  void guard(BinaryOperator& division) {
    division.dropPoisonGeneratingFlags();
    Type* const type = division.getType();
    Value* const divisor = division.getOperand(1);
    const bool is_signed =
        division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
    if (const auto* known = dyn_cast<ConstantInt>(divisor);
        known != nullptr && !known->isZero() && !(is_signed && known->isMinusOne()))
      return;
    if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64) return;
    IRBuilder<> b(&division);
    Value* bad = b.CreateICmpEQ(divisor, ConstantInt::get(type, 0));
    if (is_signed) {
      Value* const least =
          b.CreateICmpEQ(division.getOperand(0),
                         ConstantInt::get(type, APInt::getSignedMinValue(type->getIntegerBitWidth())));
      bad = b.CreateOr(bad, b.CreateAnd(least, b.CreateICmpEQ(divisor, Constant::getAllOnesValue(type))));
    }
    // Where the result is asked for, the division itself is by 1.
    Value* const safe = b.CreateSelect(bad, ConstantInt::get(type, 1), divisor);
    Value* const quotient = b.CreateBinOp(division.getOpcode(), division.getOperand(0), safe);
    ask_where(bad, division, quotient, b.getInt64(0), "assay_undefined_quotient");
  }

  // Calls of clang's run-time checks, and of the library's questions.
  void answer(CallInst& call) {
    const Function* const called = call.getCalledFunction();
    if (called == nullptr) return;
    const StringRef name = called->getName();
    auto* const nothing = Type::getVoidTy(context_);
    auto* const word = Type::getInt64Ty(context_);
    auto* const pointer = PointerType::getUnqual(context_);
    IRBuilder<> b(&call);
    if (name == "assay_here") {
      call.replaceAllUsesWith(sites_.at(call.getDebugLoc()));
      call.eraseFromParent();
      return;
    }
    if (called->getIntrinsicID() == Intrinsic::ubsantrap || called->getIntrinsicID() == Intrinsic::trap) {
      auto* const ends = b.CreateCall(hook("assay_undefined_operation", nothing, {pointer}),
                                      {sites_.at(call.getDebugLoc())});
      ends->setDoesNotReturn();
      call.eraseFromParent();
      return;
    }
    if (!name.starts_with("__ubsan_handle_")) return;
    if (name == "__ubsan_handle_type_mismatch_v1" && is_of_library(call)) {
      call.eraseFromParent();
      return;
    }
    Value* const site = sites_.at(call.getDebugLoc());
    if (name == "__ubsan_handle_type_mismatch_v1")
      b.CreateCall(hook("assay_misaligned", nothing, {pointer, pointer}),
                   {call.getArgOperand(0), b.CreateIntToPtr(call.getArgOperand(1), pointer)});
    if (name == "__ubsan_handle_shift_out_of_bounds")
      b.CreateCall(hook("assay_undefined_shift", nothing, {pointer, word, pointer}),
                   {call.getArgOperand(0), call.getArgOperand(2), site});
    if (name == "__ubsan_handle_float_cast_overflow")
      b.CreateCall(hook("assay_undefined_conversion", nothing, {pointer, word, pointer}),
                   {call.getArgOperand(0), call.getArgOperand(1), site});
    call.eraseFromParent();
  }

  // Is it a check of a place in the stand-in library?
  bool is_of_library(const CallInst& check) const {
    const DILocation* const at = check.getDebugLoc().get();
    return at != nullptr && file_name(*at).starts_with(sites_.library());
  }

  Module& module_;
  Sites& sites_;
  const bool checked_;
  LLVMContext& context_;
};

}  // namespace

void define_the_undefined(llvm::Module& module, Sites& sites, bool checked) {
  Definer(module, sites, checked).run();
}

}  // namespace assay::metal
