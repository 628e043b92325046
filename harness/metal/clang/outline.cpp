#include "harness/metal/clang/outline.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Builtins.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/parameters.hpp"
#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/shapes.hpp"
#include "harness/metal/clang/thread_places.hpp"
#include "harness/metal/clang/used_code.hpp"

namespace assay::metal {
namespace {

using namespace clang;
using Number = std::int64_t;

// What the code says, and which globals it says it of.
class Code : public RecursiveASTVisitor<Code> {
 public:
  Code(const OutlinedText& text, Outline& outline) : text_(text), outline_(outline) {}

  void read(const std::vector<const FunctionDecl*>& functions) {
    for (const FunctionDecl* one : functions) {
      note_arguments(*one);
      TraverseStmt(one->getBody());
    }
    while (!open_.empty()) {
      const VarDecl* const one = open_.back();
      open_.pop_back();
      TraverseStmt(const_cast<Expr*>(one->getAnyInitializer()));
    }
  }

  // Behind others that have that name.
  void name_constants() {
    for (const auto& [place, one] : named_)
      if (names_.insert(one.name).second) outline_.named.push_back(one);
  }
  void note_vectors(const DeclContext& scope) {
    for (Decl* one : scope.noload_decls()) {
      if (one->isFromASTFile()) continue;
      if (auto* variable = dyn_cast<VarDecl>(one)) VisitVarDecl(variable);
      if (isa<NamespaceDecl>(one) || isa<LinkageSpecDecl>(one)) note_vectors(*cast<DeclContext>(one));
    }
  }

  bool VisitDeclRefExpr(DeclRefExpr* one) {
    if (const auto* constant = dyn_cast<EnumConstantDecl>(one->getDecl());
        constant != nullptr && is_own(*constant))
      name(*constant, {constant->getInitVal().getExtValue()});
    const auto* const variable = dyn_cast<VarDecl>(one->getDecl());
    if (variable == nullptr || !is_own(*variable)) return true;
    if (const auto value =
            variable->getType().isConstQualified() ? whole_number(one, text_.context) : std::nullopt)
      name(*variable, {*value});
    if (variable->isFileVarDecl() && variable->getAnyInitializer() != nullptr &&
        followed_.insert(variable).second)
      open_.push_back(variable);
    return true;
  }
  bool VisitVarDecl(VarDecl* one) {
    const Expr* const value =
        library_name(one->getType().getNonReferenceType()) == "vec" && one->hasInit() && !one->isInvalidDecl()
            ? one->getInit()
            : nullptr;
    const auto* const made = value == nullptr ? nullptr : dyn_cast<CXXConstructExpr>(bare(value));
    if (made == nullptr) return true;
    std::vector<Number> values;
    for (const Expr* argument : made->arguments())
      if (const auto number = whole_number(argument, text_.context)) values.push_back(*number);
    if (values.size() == made->getNumArgs() && values.size() > 1) name(*one, values);
    return true;
  }
  bool VisitSubstNonTypeTemplateParmExpr(SubstNonTypeTemplateParmExpr* one) {
    const auto value = whole_number(one->getReplacement(), text_.context);
    if (value && is_own(*one->getParameter())) name(*one->getParameter(), {*value});
    return true;
  }

  bool VisitCallExpr(CallExpr* call) {
    if (call->getBuiltinCallee() == Builtin::BI__builtin_constant_p && call->getNumArgs() == 1)
      if (OutlinedConstant* asked = constant_in(call->getArg(0))) asked->asked = true;
    const FunctionDecl* const called = call->getDirectCallee();
    if (called == nullptr || !called->getDeclName().isIdentifier()) return true;
    outline_.waits |= called->getName() == "threadgroup_barrier";
    outline_.in_simdgroups |=
        called->getName().starts_with("simd_") || called->getName().starts_with("simdgroup_");
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* one) {
    if (one->getOpcode() != BO_EQ) return true;
    compare(one->getLHS(), one->getRHS());
    compare(one->getRHS(), one->getLHS());
    return true;
  }
  bool VisitSwitchStmt(SwitchStmt* choice) {
    std::vector<const CaseStmt*> cases;
    for (const SwitchCase* one = choice->getSwitchCaseList(); one != nullptr; one = one->getNextSwitchCase())
      if (const auto* of = dyn_cast<CaseStmt>(one)) cases.push_back(of);
    for (const CaseStmt* one : llvm::reverse(cases)) compare(choice->getCond(), one->getLHS());
    return true;
  }

 private:
  bool is_own(const Decl& one) const { return !one.isFromASTFile() && place_of(one).byte.has_value(); }

  void name(const NamedDecl& one, std::vector<Number> values) {
    named_.emplace(place_of(one).byte.value_or(0), NamedNumbers{one.getNameAsString(), std::move(values)});
  }

  // What the parameters of a template stand for, used or not.
  void note_arguments(const FunctionDecl& function) {
    const FunctionTemplateDecl* const made = function.getPrimaryTemplate();
    const TemplateArgumentList* const given = function.getTemplateSpecializationArgs();
    if (made == nullptr || given == nullptr) return;
    for (unsigned i = 0; i < std::min(given->size(), made->getTemplateParameters()->size()); ++i) {
      if (given->get(i).getKind() == TemplateArgument::Integral)
        name(*made->getTemplateParameters()->getParam(i), {given->get(i).getAsIntegral().getExtValue()});
    }
  }

  OutlinedConstant* constant_in(const Expr* one) {
    const VarDecl* const named = variable_in(one);
    for (std::size_t i = 0; named != nullptr && i < text_.constants.size(); ++i)
      if (text_.constants[i].variable->getCanonicalDecl() == named->getCanonicalDecl())
        return &outline_.constants[i];
    return nullptr;
  }

  void compare(const Expr* constant, const Expr* with) {
    OutlinedConstant* const known = constant_in(constant);
    const auto value = known == nullptr ? std::nullopt : whole_number(with, text_.context);
    if (value && !llvm::is_contained(known->compared, *value)) known->compared.push_back(*value);
  }

  const OutlinedText& text_;
  Outline& outline_;
  std::multimap<unsigned, NamedNumbers> named_;  // by where it is declared
  std::set<std::string> names_;
  std::set<const VarDecl*> followed_;
  std::vector<const VarDecl*> open_;
};

// Whole numbers that stand in what is used.
std::set<Number> numbers_in(const OutlinedText& text) {
  const SourceManager& sources = text.context.getSourceManager();
  const llvm::StringRef all = sources.getBufferData(sources.getMainFileID());
  std::set<Number> found;
  for (const auto& [begin, end] : text.used) {
    Lexer lexer(SourceLocation(), text.context.getLangOpts(), all.begin(), all.begin() + begin, all.end());
    Token token;
    token.startToken();
    for (bool last = false; !last;) {
      last = lexer.LexFromRawLexer(token);
      if (token.is(tok::eof) || lexer.getBufferLocation() > all.begin() + end) break;
      if (!token.is(tok::numeric_constant)) continue;
      const auto words = llvm::StringRef(token.getLiteralData(), token.getLength()).rtrim("uUlL");
      Number value = 0;
      if (!words.getAsInteger(0, value)) found.insert(value);
    }
  }
  return found;
}

class Literals : public RecursiveASTVisitor<Literals> {
 public:
  std::set<Number> all;
  bool VisitIntegerLiteral(IntegerLiteral* one) {
    all.insert(one->getValue().getSExtValue());
    return true;
  }
};

// Behind the text each macro is an enumerator of its own, `assay_macro_NAME`.
void name_macros(const OutlinedText& text, Outline& outline) {
  constexpr llvm::StringRef kPrefix = "assay_macro_";
  if (!text.macros_from) return;
  const std::set<Number> used = numbers_in(text);
  for (const Decl* one : text.context.getTranslationUnitDecl()->noload_decls()) {
    const auto* const list = dyn_cast<EnumDecl>(one);
    if (list == nullptr || list->isFromASTFile() || place_of(*list).byte.value_or(0) < *text.macros_from)
      continue;
    for (const EnumConstantDecl* macro : list->enumerators()) {
      llvm::StringRef name = macro->getName();
      const Expr* const value = macro->getInitExpr();
      if (!name.consume_front(kPrefix) || value == nullptr || value->containsErrors()) continue;
      Literals literals;
      literals.TraverseStmt(const_cast<Expr*>(value));
      const bool known =
          llvm::any_of(outline.named, [&](const NamedNumbers& other) { return other.name == name; });
      if (!known && llvm::all_of(literals.all, [&](Number number) { return used.contains(number); }))
        outline.named.push_back({name.str(), {macro->getInitVal().getExtValue()}});
    }
  }
}

}  // namespace

Outline outline_of(const OutlinedText& text) {
  Outline outline;
  const auto functions = functions_run_by(text.kernel);
  outline.parameters = outlined_parameters(text.context, text.kernel);
  for (const auto& one : text.constants) {
    const PrintingPolicy policy(text.context.getLangOpts());
    outline.constants.push_back({one.index, one.variable->getNameAsString(),
                                 one.variable->getType().getUnqualifiedType().getAsString(policy)});
  }
  Code code(text, outline);
  code.note_vectors(*text.context.getTranslationUnitDecl());
  code.read(functions);
  code.name_constants();
  name_macros(text, outline);
  if (!functions.empty()) outline_shares(text.context, functions, outline);
  return outline;
}

}  // namespace assay::metal
