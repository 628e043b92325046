#include "harness/metal/clang/subscripts.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "harness/metal/clang/debug_places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class SubscriptsVisitor : public RecursiveASTVisitor<SubscriptsVisitor> {
 public:
  SubscriptsVisitor(ASTContext& context, Subscripts& found) : context_(context), found_(found) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitUnaryOperator(UnaryOperator* one) {
    if (one->getOpcode() != UO_AddrOf) return true;
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(one->getSubExpr()->IgnoreParens())) {
      addresses_.insert(subscript);
      found_.taken.insert(place_of(*subscript));
    }
    return true;
  }
  // Those whose address is taken were seen before: they are part of what takes it.
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* one) {
    const auto* const base = one->getBase()->IgnoreParens();
    const auto* const decay = dyn_cast<ImplicitCastExpr>(base);
    if (decay == nullptr || decay->getCastKind() != CK_ArrayToPointerDecay || addresses_.contains(one))
      return true;
    if (context_.getAsConstantArrayType(decay->getSubExpr()->getType()) != nullptr)
      found_.used.insert(place_of(*one));
    return true;
  }

 private:
  Diagnostic::Place place_of(const ArraySubscriptExpr& one) const {
    const PresumedLoc at = context_.getSourceManager().getPresumedLoc(one.getExprLoc());
    if (at.isInvalid()) return {};
    return {at.getFilename(), at.getLine(), at.getColumn()};
  }

  ASTContext& context_;
  Subscripts& found_;
  std::set<const ArraySubscriptExpr*> addresses_;
};

// Templates have their instances at the end.
class SubscriptsReader : public ASTConsumer {
 public:
  explicit SubscriptsReader(Subscripts& found) : found_(found) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl* one : group)
      if (!one->isFromASTFile()) declarations_.push_back(one);  // what was read ahead is none of the text
    return true;
  }
  void HandleTranslationUnit(ASTContext& context) override {
    SubscriptsVisitor visitor(context, found_);
    for (Decl* one : declarations_) visitor.TraverseDecl(one);
  }

 private:
  Subscripts& found_;
  std::vector<Decl*> declarations_;
};

// The record of a type that a check hands over: {kind, twice the logarithm of its bits and one if it has a
// sign, name}
const llvm::Constant* type_of(const llvm::CallInst& check, unsigned which) {
  const auto* const data = llvm::dyn_cast<llvm::GlobalVariable>(check.getArgOperand(0));
  const llvm::Constant* const all =
      data != nullptr && data->hasInitializer() ? data->getInitializer() : nullptr;
  const auto* const record =
      all != nullptr ? llvm::dyn_cast_or_null<llvm::GlobalVariable>(all->getAggregateElement(which))
                     : nullptr;
  return record != nullptr && record->hasInitializer() ? record->getInitializer() : nullptr;
}

// 'float[4][2]', 'Row[4]' (aka 'float[2][4]'): 4, and 4. Nothing but these has brackets behind its name.
std::uint64_t length_in_name(const llvm::CallInst& check) {
  const llvm::Constant* const type = type_of(check, 1);
  const auto* const text = type != nullptr
                               ? llvm::dyn_cast_or_null<llvm::ConstantDataArray>(type->getAggregateElement(2))
                               : nullptr;
  if (text == nullptr) return 0;
  llvm::StringRef name = text->getAsString();
  std::uint64_t length = 0;
  while (name.consume_front("'") || name.contains(" (aka '")) {
    const llvm::StringRef first = name.take_until([](char c) { return c == '\''; });
    int angles = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      angles += first[i] == '<' ? 1 : first[i] == '>' ? -1 : 0;
      if (first[i] == '[' && angles == 0 && !first.drop_front(i + 1).consumeInteger(10, length))
        return length;
    }
    name = name.drop_front(first.size());
    name = name.drop_front(std::min(name.find(" (aka ") + 6, name.size()));
  }
  return 0;
}

llvm::APInt index_of(const llvm::CallInst& check, const llvm::ConstantInt& given) {
  const llvm::Constant* const type = type_of(check, 2);
  const auto* const kind =
      type != nullptr ? llvm::dyn_cast_or_null<llvm::ConstantInt>(type->getAggregateElement(1)) : nullptr;
  const std::uint64_t info = kind != nullptr ? kind->getZExtValue() : 0;
  const unsigned bits = 1U << (info >> 1);
  if (bits >= given.getBitWidth() || info % 2 == 0) return given.getValue();
  return given.getValue().trunc(bits).sext(given.getBitWidth());
}

class Checks {
 public:
  Checks(llvm::Module& module, const Subscripts& found, const std::string& library)
      : module_(module), found_(found), library_(library) {}

  void take(llvm::CallInst& check) {
    const llvm::DILocation* const at = check.getDebugLoc().get();
    llvm::BasicBlock* const before = check.getParent()->getSinglePredecessor();
    auto* const branch =
        before != nullptr ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
    if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(1) != check.getParent()) return;
    llvm::IRBuilder<> b(&check);
    const bool is_used = is_one_of(found_.used, at) && !is_one_of(found_.taken, at);
    if (at != nullptr && file_name(*at).starts_with(library_)) {
      branch->setCondition(b.getTrue());
    } else if (auto* below = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())) {
      if (is_used && below->getPredicate() == llvm::ICmpInst::ICMP_ULE)
        below->setPredicate(llvm::ICmpInst::ICMP_ULT);
      say(b, below->getOperand(0), below->getOperand(1));
    } else if (const auto* given = llvm::dyn_cast<llvm::ConstantInt>(check.getArgOperand(1))) {
      // clang has compared an index that is a constant.
      const llvm::APInt index = index_of(check, *given);
      const std::uint64_t length = length_in_name(check);
      if (is_used && index == length) branch->setCondition(b.getFalse());
      say(b, b.getInt(index), b.getInt64(length));
    }
    check.eraseFromParent();
  }

 private:
  void say(llvm::IRBuilder<>& b, llvm::Value* index, llvm::Value* length) {
    auto* const word = b.getInt64Ty();
    auto* const pointer = b.getPtrTy();
    llvm::Value* const here =
        b.CreateCall(module_.getOrInsertFunction("assay_here", llvm::FunctionType::get(pointer, false)));
    b.CreateCall(module_.getOrInsertFunction("assay_no_element", b.getVoidTy(), word, word, pointer),
                 {b.CreateSExtOrTrunc(index, word), b.CreateZExtOrTrunc(length, word), here});
  }

  llvm::Module& module_;
  const Subscripts& found_;
  const std::string& library_;
};

}  // namespace

std::unique_ptr<ASTConsumer> subscripts_reader(Subscripts& found) {
  return std::make_unique<SubscriptsReader>(found);
}

void check_subscripts(llvm::Module& module, const Subscripts& found, const std::string& library) {
  const llvm::Function* const hook = module.getFunction("__ubsan_handle_out_of_bounds");
  if (hook == nullptr) return;
  Checks checks(module, found, library);
  for (llvm::User* one : llvm::make_early_inc_range(const_cast<llvm::Function*>(hook)->users()))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(one)) checks.take(*call);
}

}  // namespace assay::metal
