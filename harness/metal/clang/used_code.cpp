#include "harness/metal/clang/used_code.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <set>

#include "harness/metal/clang/shapes.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class CalledFunctions : public RecursiveASTVisitor<CalledFunctions> {
 public:
  std::vector<const FunctionDecl*> from(const FunctionDecl& kernel) {
    add(&kernel);
    for (std::size_t i = 0; i < all_.size(); ++i) TraverseStmt(all_[i]->getBody());
    return all_;
  }

  bool VisitCallExpr(CallExpr* call) {
    add(call->getDirectCallee());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) {
    add(made->getConstructor());
    return true;
  }

 private:
  void add(const FunctionDecl* one) {
    const FunctionDecl* defined = nullptr;
    if (one == nullptr || one->isFromASTFile() || !one->hasBody(defined) || !known_.insert(defined).second)
      return;
    all_.push_back(defined);
  }

  std::vector<const FunctionDecl*> all_;
  std::set<const FunctionDecl*> known_;
};

const Expr* next_within(const Expr* one) {
  one = one->IgnoreParenImpCasts();
  if (const auto* cast = dyn_cast<ExplicitCastExpr>(one)) return cast->getSubExpr();
  if (const auto* full = dyn_cast<FullExpr>(one)) return full->getSubExpr();
  if (const auto* made = dyn_cast<MaterializeTemporaryExpr>(one)) return made->getSubExpr();
  if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(one)) return bound->getSubExpr();
  if (const auto* given = dyn_cast<SubstNonTypeTemplateParmExpr>(one)) return given->getReplacement();
  if (const auto* property = dyn_cast<PseudoObjectExpr>(one)) return property->getSyntacticForm();
  if (const auto* seen = dyn_cast<OpaqueValueExpr>(one); seen != nullptr && seen->getSourceExpr() != nullptr)
    return seen->getSourceExpr();
  if (const auto* made = dyn_cast<CXXConstructExpr>(one); made != nullptr && made->getNumArgs() == 1)
    return made->getArg(0);
  return one;
}

}  // namespace

std::vector<const FunctionDecl*> functions_run_by(const FunctionDecl& kernel) {
  return CalledFunctions().from(kernel);
}

const Expr* bare(const Expr* one) {
  for (const Expr* next = next_within(one); next != one; next = next_within(one)) one = next;
  return one;
}

const VarDecl* variable_in(const Expr* one) {
  const auto* const named = dyn_cast<DeclRefExpr>(bare(one));
  return named == nullptr ? nullptr : dyn_cast<VarDecl>(named->getDecl());
}

std::optional<unsigned> Components::last() const {
  std::optional<unsigned> last;
  for (const char letter : letters) {
    const auto at = std::min(llvm::StringRef("xyzw").find(letter), llvm::StringRef("rgba").find(letter));
    if (at == llvm::StringRef::npos) return std::nullopt;
    last = std::max(last.value_or(0), static_cast<unsigned>(at));
  }
  return last;
}

Components components_in(const Expr* one) {
  one = bare(one);
  if (const auto* property = dyn_cast<MSPropertyRefExpr>(one))
    return {property->getBaseExpr(), property->getPropertyDecl()->getName()};
  const auto* const member = dyn_cast<MemberExpr>(one);
  if (member == nullptr || !isa<FieldDecl>(member->getMemberDecl())) return {};
  const Expr* vector = member->getBase();
  for (const auto* part = dyn_cast<MemberExpr>(bare(vector));
       part != nullptr && part->getMemberDecl()->getName().empty(); part = dyn_cast<MemberExpr>(bare(vector)))
    vector = part->getBase();
  if (library_name(bare(vector)->getType()).empty()) return {};
  return {vector, cast<FieldDecl>(member->getMemberDecl())->getName()};
}

std::optional<std::int64_t> whole_number(const Expr* one, const ASTContext& context) {
  Expr::EvalResult result;
  if (one->isValueDependent() || one->containsErrors() || !one->getType()->isIntegralOrEnumerationType() ||
      !one->EvaluateAsInt(result, context))
    return std::nullopt;
  return result.Val.getInt().getExtValue();
}

std::string words_of(const Expr* one, const ASTContext& context) {
  const SourceManager& sources = context.getSourceManager();
  return Lexer::getSourceText(sources.getExpansionRange(one->getSourceRange()), sources,
                              context.getLangOpts())
      .str();
}

}  // namespace assay::metal
