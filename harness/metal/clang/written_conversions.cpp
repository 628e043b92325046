#include "harness/metal/clang/written_conversions.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "harness/metal/clang/debug_places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class Visitor : public RecursiveASTVisitor<Visitor> {
 public:
  Visitor(const SourceManager& sources, std::set<Diagnostic::Place>& places)
      : sources_(sources), places_(places) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  // What is written out, and what clang does on its behalf.
  bool VisitCastExpr(CastExpr* cast) {
    const auto* const implicit = dyn_cast<ImplicitCastExpr>(cast);
    if (cast->getCastKind() != CK_FloatingToIntegral ||
        (implicit != nullptr && !implicit->isPartOfExplicitCast()))
      return true;
    const PresumedLoc at = sources_.getPresumedLoc(cast->getExprLoc());
    if (at.isValid()) places_.insert({at.getFilename(), at.getLine(), at.getColumn()});
    return true;
  }

 private:
  const SourceManager& sources_;
  std::set<Diagnostic::Place>& places_;
};

// Templates have their instances at the end.
class Reader : public ASTConsumer {
 public:
  explicit Reader(std::set<Diagnostic::Place>& places) : places_(places) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    declarations_.insert(declarations_.end(), group.begin(), group.end());
    return true;
  }
  void HandleTranslationUnit(ASTContext& context) override {
    Visitor visitor(context.getSourceManager(), places_);
    for (Decl* one : declarations_) visitor.TraverseDecl(one);
  }

 private:
  std::set<Diagnostic::Place>& places_;
  std::vector<Decl*> declarations_;
};

bool is_check(const llvm::BasicBlock& block) {
  return llvm::any_of(block, [](const llvm::Instruction& one) {
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(&one);
    const llvm::Function* const called = call != nullptr ? call->getCalledFunction() : nullptr;
    return called != nullptr && (called->getIntrinsicID() == llvm::Intrinsic::ubsantrap ||
                                 called->getName() == "__ubsan_handle_float_cast_overflow");
  });
}

// Where a conversion is checked, it passes.
void pass(llvm::BranchInst& branch) {
  if (!branch.isConditional()) return;
  for (unsigned i = 0; i < 2; ++i) {
    if (is_check(*branch.getSuccessor(i)))
      branch.setCondition(llvm::ConstantInt::getBool(branch.getContext(), i == 1));
  }
}

void saturate(llvm::CastInst& conversion) {
  const auto id = conversion.getOpcode() == llvm::Instruction::FPToSI ? llvm::Intrinsic::fptosi_sat
                                                                      : llvm::Intrinsic::fptoui_sat;
  llvm::IRBuilder<> b(&conversion);
  conversion.replaceAllUsesWith(b.CreateIntrinsic(
      id, {conversion.getType(), conversion.getOperand(0)->getType()}, {conversion.getOperand(0)}));
  conversion.eraseFromParent();
}

}  // namespace

std::unique_ptr<ASTConsumer> written_conversions(std::set<Diagnostic::Place>& places) {
  return std::make_unique<Reader>(places);
}

void saturate_conversions(llvm::Module& module, const std::set<Diagnostic::Place>& places,
                          const std::string& library) {
  const std::string of_library = library + "/metal/type_traits.h";
  const auto is_written = [&](const llvm::Instruction& one) {
    const llvm::DILocation* const at = one.getDebugLoc().get();
    return at != nullptr && (file_name(*at) == of_library || is_one_of(places, at));
  };
  for (llvm::Function& function : module) {
    for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&one);
      auto* const conversion = llvm::dyn_cast<llvm::CastInst>(&one);
      if (branch != nullptr && is_written(one)) pass(*branch);
      if (conversion != nullptr && is_written(one) &&
          (one.getOpcode() == llvm::Instruction::FPToSI || one.getOpcode() == llvm::Instruction::FPToUI))
        saturate(*conversion);
    }
  }
}

}  // namespace assay::metal
