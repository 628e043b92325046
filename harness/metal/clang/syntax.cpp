#include "harness/metal/clang/syntax.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <optional>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/threadgroup_variables.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class SyntaxReader : public RecursiveASTVisitor<SyntaxReader> {
 public:
  explicit SyntaxReader(const ASTContext& context)
      : context_(context), sources_(context.getSourceManager()) {}

  Syntax read() {
    for (Decl* one : context_.getTranslationUnitDecl()->noload_decls())
      if (!one->isFromASTFile()) TraverseDecl(one);
    for (auto* bytes : {&found_.operators, &found_.calls, &found_.subscripts, &found_.lists, &found_.unset})
      sort(*bytes);
    for (auto* ranges : {&found_.bodies, &found_.closed, &found_.statements, &found_.conditions})
      sort(*ranges);
    return std::move(found_);
  }

  bool VisitFunctionDecl(FunctionDecl* one) {
    if (one->isTemplateInstantiation() || !one->doesThisDeclarationHaveABody() || one->getBody() == nullptr)
      return true;
    add(found_.bodies, one->getBody()->getSourceRange());
    if (annotation_of(*one, "kernel_function") != nullptr)
      add(found_.closed, {one->getBeginLoc(), one->getBody()->getBeginLoc()});
    return true;
  }
  bool VisitTemplateDecl(TemplateDecl* one) { return closed(one->getTemplateParameters()->getSourceRange()); }
  bool VisitStaticAssertDecl(StaticAssertDecl* one) { return closed(one->getSourceRange()); }
  bool VisitTypedefNameDecl(TypedefNameDecl* one) { return closed_of_file(*one); }
  bool VisitUsingDecl(UsingDecl* one) { return closed_of_file(*one); }
  bool VisitUsingDirectiveDecl(UsingDirectiveDecl* one) { return closed_of_file(*one); }

  bool VisitBinaryOperator(BinaryOperator* one) { return add(found_.operators, one->getOperatorLoc()); }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* one) {
    if (one->getOperator() == OO_Call) add(found_.calls, one->getRParenLoc());
    if (one->getOperator() == OO_Subscript) add(found_.subscripts, one->getRParenLoc());
    return !one->isInfixBinaryOp() || add(found_.operators, one->getOperatorLoc());
  }
  bool VisitCallExpr(CallExpr* one) {
    return isa<CXXOperatorCallExpr>(one) || add(found_.calls, one->getRParenLoc());
  }
  bool VisitCXXFunctionalCastExpr(CXXFunctionalCastExpr* one) {
    return add(found_.calls, one->getRParenLoc());
  }
  bool VisitCXXUnresolvedConstructExpr(CXXUnresolvedConstructExpr* one) {
    return one->isListInitialization() ? add(found_.lists, one->getLParenLoc())
                                       : add(found_.calls, one->getRParenLoc());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* one) {
    const SourceRange around = one->getParenOrBraceRange();
    return one->isListInitialization() ? add(found_.lists, around.getBegin())
                                       : add(found_.calls, around.getEnd());
  }
  bool VisitParenListExpr(ParenListExpr* one) { return add(found_.calls, one->getRParenLoc()); }
  bool VisitInitListExpr(InitListExpr* one) { return add(found_.lists, one->getLBraceLoc()); }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* one) {
    return add(found_.subscripts, one->getRBracketLoc());
  }
  bool VisitMSPropertySubscriptExpr(MSPropertySubscriptExpr* one) {
    return add(found_.subscripts, one->getRBracketLoc());
  }

  // `T name;`, and `T name[2];`: the last of several.
  bool VisitDeclStmt(DeclStmt* one) {
    const auto* const last =
        one->decl_end() == one->decl_begin() ? nullptr : dyn_cast<VarDecl>(*(one->decl_end() - 1));
    const bool given = last == nullptr || last->isStaticLocal() || has_word(*last, "threadgroup") ||
                       (last->hasInit() && !begins_without_value(*last));
    return given || add(found_.unset, one->getEndLoc());
  }

  bool VisitCompoundStmt(CompoundStmt* one) {
    for (const Stmt* each : one->body()) statement(each);
    return true;
  }
  bool VisitIfStmt(IfStmt* one) {
    statement(one->getThen());
    statement(one->getElse());
    if (!one->isConstexpr() && one->getConditionVariable() == nullptr) condition(one->getCond());
    return true;
  }
  bool VisitForStmt(ForStmt* one) {
    statement(one->getBody());
    if (one->getConditionVariable() == nullptr) condition(one->getCond());
    return true;
  }
  bool VisitWhileStmt(WhileStmt* one) {
    statement(one->getBody());
    if (one->getConditionVariable() == nullptr) condition(one->getCond());
    return true;
  }
  bool VisitDoStmt(DoStmt* one) {
    statement(one->getBody());
    condition(one->getCond());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* one) { return statement(one->getBody()); }
  bool VisitSwitchCase(SwitchCase* one) { return statement(one->getSubStmt()); }
  bool VisitConditionalOperator(ConditionalOperator* one) { return condition(one->getCond()); }

 private:
  template <class All>
  static void sort(All& all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }

  std::optional<std::uint32_t> byte_of(SourceLocation at) const {
    if (at.isInvalid()) return std::nullopt;
    const auto [file, byte] = sources_.getDecomposedLoc(sources_.getExpansionLoc(at));
    return file == sources_.getMainFileID() ? std::optional<std::uint32_t>(byte) : std::nullopt;
  }
  std::optional<std::uint32_t> byte_behind(SourceLocation at) const {
    const auto byte = byte_of(at);
    if (!byte) return std::nullopt;
    return *byte + Lexer::MeasureTokenLength(sources_.getExpansionLoc(at), sources_, context_.getLangOpts());
  }

  bool add(Syntax::Bytes& to, SourceLocation at) {
    if (const auto byte = byte_of(at)) to.push_back(*byte);
    return true;
  }
  bool add(Syntax::Ranges& to, SourceRange range) {
    const auto begin = byte_of(range.getBegin()), end = byte_behind(range.getEnd());
    if (begin && end && *begin < *end) to.emplace_back(*begin, *end);
    return true;
  }
  bool closed(SourceRange range) { return add(found_.closed, range); }
  bool closed_of_file(const Decl& one) {
    return !one.getDeclContext()->isFileContext() || closed(one.getSourceRange());
  }
  bool condition(const Expr* one) { return one == nullptr || add(found_.conditions, one->getSourceRange()); }

  // One that does something, and declares nothing.
  bool statement(const Stmt* one) {
    const auto* const leaves = dyn_cast_or_null<ReturnStmt>(one);
    const bool plain = one != nullptr && (isa<Expr>(one) || isa<BreakStmt>(one) || isa<ContinueStmt>(one) ||
                                          (leaves != nullptr && leaves->getRetValue() == nullptr));
    return !plain || add(found_.statements, one->getSourceRange());
  }

  const ASTContext& context_;
  const SourceManager& sources_;
  Syntax found_;
};

}  // namespace

Syntax syntax_of(const ASTContext& context) { return SyntaxReader(context).read(); }

}  // namespace assay::metal
