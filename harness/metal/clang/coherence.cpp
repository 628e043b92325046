#include "harness/metal/clang/coherence.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <utility>
#include <vector>

#include "harness/metal/clang/attributes.hpp"

namespace assay::metal {
namespace {

using namespace clang;

constexpr llvm::StringLiteral kWord = "assay_coherent";

// A parameter of a function: its name, and its place in the list.
using Parameter = std::pair<std::string, unsigned>;

// What an expression is made from.
class Sources : public RecursiveASTVisitor<Sources> {
 public:
  Sources(const FunctionDecl& kernel, std::set<std::string>& names, std::set<Parameter>& handed_on)
      : kernel_(kernel), names_(names), handed_on_(handed_on) {}

  bool VisitDeclRefExpr(DeclRefExpr* one) {
    add(*one->getDecl());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* one) {
    names_.insert(one->getMemberDecl()->getNameAsString());
    return true;
  }
  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr* one) {
    names_.insert(one->getMember().getAsString());
    return true;
  }

  void add(const ValueDecl& one) {
    const auto* const parameter = dyn_cast<ParmVarDecl>(&one);
    const auto* const function =
        parameter == nullptr ? nullptr : dyn_cast<FunctionDecl>(parameter->getDeclContext());
    if (function == nullptr || function == &kernel_ || function == kernel_.getTemplateInstantiationPattern())
      return void(names_.insert(one.getNameAsString()));
    handed_on_.emplace(function->getNameAsString(), parameter->getFunctionScopeIndex());
  }

 private:
  const FunctionDecl& kernel_;
  std::set<std::string>& names_;
  std::set<Parameter>& handed_on_;
};

// What is declared so, and what is made from what.
class CoherenceVisitor : public RecursiveASTVisitor<CoherenceVisitor> {
 public:
  CoherenceVisitor(const ASTContext& context, Sources& sources) : context_(context), sources_(sources) {}

  bool VisitDeclaratorDecl(DeclaratorDecl* one) {
    if (isa<FunctionDecl>(one) || !has_word(*one, kWord)) return true;
    sources_.add(*one);
    auto* const variable = dyn_cast<VarDecl>(one);
    if (variable != nullptr && !isa<ParmVarDecl>(one) && variable->hasInit())
      sources_.TraverseStmt(variable->getInit());
    return true;
  }
  // `*(device coherent(device) uint*)partial`: the words of a cast are not kept.
  bool VisitCStyleCastExpr(CStyleCastExpr* one) {
    const auto words = Lexer::getSourceText(
        context_.getSourceManager().getExpansionRange(SourceRange(one->getLParenLoc(), one->getRParenLoc())),
        context_.getSourceManager(), context_.getLangOpts());
    if (words.contains(kWord)) sources_.TraverseStmt(one->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr* one) {
    calls_.push_back(one);
    return true;
  }

  /// The arguments at that place, in all calls of a function of that name.
  void follow(const Parameter& parameter) {
    for (CallExpr* call : calls_) {
      if (parameter.second < call->getNumArgs() && name_of(*call) == parameter.first)
        sources_.TraverseStmt(call->getArg(parameter.second));
    }
  }

 private:
  static std::string name_of(const CallExpr& call) {
    const Expr* const callee = call.getCallee()->IgnoreParenImpCasts();
    if (const auto* named = dyn_cast<DeclRefExpr>(callee)) return named->getDecl()->getNameAsString();
    if (const auto* member = dyn_cast<MemberExpr>(callee)) return member->getMemberDecl()->getNameAsString();
    const auto* const open = dyn_cast<OverloadExpr>(callee);
    return open == nullptr ? "" : open->getName().getAsString();
  }

  const ASTContext& context_;
  Sources& sources_;
  std::vector<CallExpr*> calls_;
};

}  // namespace

std::set<std::string> coherent_names(const ASTContext& context, const FunctionDecl& kernel) {
  std::set<std::string> names;
  std::set<Parameter> handed_on, seen;
  Sources sources(kernel, names, handed_on);
  CoherenceVisitor visitor(context, sources);
  for (Decl* one : context.getTranslationUnitDecl()->noload_decls())
    if (!one->isFromASTFile()) visitor.TraverseDecl(one);
  while (!handed_on.empty()) {
    const Parameter next = handed_on.extract(handed_on.begin()).value();
    if (seen.insert(next).second) visitor.follow(next);
  }
  return names;
}

}  // namespace assay::metal
