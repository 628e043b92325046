#include "harness/metal/clang/slips.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/shapes.hpp"
#include "harness/metal/clang/text_declarations.hpp"

namespace assay::metal {
namespace {

using namespace clang;

bool is_word_character(char c) { return llvm::isAlnum(c) || c == '_'; }

// Words by which a type says where something lies, or that hide it.
bool says_space(llvm::StringRef word) {
  for (const char* one : {"device", "constant", "threadgroup", "thread", "object_data", "ray_data",
                          "threadgroup_imageblock", "operator", "decltype", "auto"})
    if (word == one) return true;
  return false;
}

// The variable at the bottom of `&row[i].sum`.
const VarDecl* variable_of(const Expr* one) {
  for (;;) {
    one = one->IgnoreParenCasts();
    if (const auto* address = dyn_cast<UnaryOperator>(one)) {
      one = address->getSubExpr();
    } else if (const auto* element = dyn_cast<ArraySubscriptExpr>(one)) {
      one = element->getBase();
    } else if (const auto* sum = dyn_cast<BinaryOperator>(one)) {
      one = sum->getLHS();
    } else if (const auto* member = dyn_cast<MemberExpr>(one); member != nullptr && !member->isArrow()) {
      one = member->getBase();
    } else {
      const auto* const name = dyn_cast<DeclRefExpr>(one);
      return name == nullptr ? nullptr : dyn_cast<VarDecl>(name->getDecl());
    }
  }
}

class SlipsVisitor : public RecursiveASTVisitor<SlipsVisitor> {
 public:
  SlipsVisitor(const ASTContext& context, std::vector<Diagnostic>& errors)
      : context_(context), errors_(errors) {}

  bool VisitPointerTypeLoc(PointerTypeLoc one) {
    return check(one.getPointeeLoc(), one.getSigilLoc(), "pointer");
  }
  bool VisitReferenceTypeLoc(ReferenceTypeLoc one) {
    if (!one.getType()->isLValueReferenceType()) return true;
    return check(one.getPointeeLoc(), one.getSigilLoc(), "reference");
  }

  // float4(1, 2): C++ cannot tell it from a list, of which the rest is zero.
  bool VisitCXXTemporaryObjectExpr(CXXTemporaryObjectExpr* one) {
    const std::uint64_t components =
        library_name(one->getType()) == "vec" ? components_of(one->getType()) : 0;
    if (one->isListInitialization() || components < 3) return true;
    unsigned numbers = 0;
    for (const Expr* argument : one->arguments()) {
      if (isa<CXXDefaultArgExpr>(argument)) continue;
      if (!argument->getType()->isArithmeticType()) return true;
      ++numbers;
    }
    if (numbers < 2 || numbers >= components) return true;
    return say(one->getBeginLoc(), "`" + written(one->getTypeSourceInfo()->getTypeLoc().getSourceRange()) +
                                       "` is made of " + std::to_string(numbers) +
                                       " numbers; it takes one, or one for each component");
  }

  bool VisitCallExpr(CallExpr* one) {
    const FunctionDecl* const called = one->getDirectCallee();
    if (called == nullptr || !called->getDeclName().isIdentifier() || one->getNumArgs() == 0) return true;
    const FunctionDecl* const pattern = called->getTemplateInstantiationPattern();
    if ((pattern != nullptr ? pattern : called)->isFromASTFile()) check_results(*one, *called);
    return check_atomic(*one, *called);
  }

 private:
  // `modf(x, out[i])`: what the library gives back beside its value goes to thread memory.
  void check_results(const CallExpr& call, const FunctionDecl& called) {
    for (unsigned i = 0; i < std::min(call.getNumArgs(), called.getNumParams()); ++i) {
      const QualType type = called.getParamDecl(i)->getType();
      if (!type->isLValueReferenceType() || type->getPointeeType().isConstQualified()) continue;
      const VarDecl* const variable = variable_of(call.getArg(i));
      for (const char* space : {"device", "threadgroup"})
        if (variable != nullptr && has_word(*variable, space))
          say(call.getArg(i)->getExprLoc(), "`" + called.getNameAsString() +
                                                "` writes to thread memory alone, and `" +
                                                variable->getNameAsString() + "` is in " + space + " memory");
    }
  }

  // `threadgroup atomic_float sum;` may be declared, but has no operations.
  bool check_atomic(CallExpr& one, const FunctionDecl& called) {
    if (!called.getName().starts_with("atomic_") || !called.getName().ends_with("_explicit")) return true;
    const VarDecl* const variable = variable_of(one.getArg(0));
    if (variable == nullptr || !has_word(*variable, "threadgroup") ||
        !holds_float_atomics(variable->getType()))
      return true;
    return say(one.getArg(0)->getExprLoc(),
               "`" + variable->getNameAsString() +
                   "`: an atomic float in threadgroup memory has no operations; Metal has them in device "
                   "memory only");
  }

  bool say(SourceLocation at, std::string message) {
    errors_.push_back({place_of(context_.getSourceManager(), at), std::move(message), {}});
    return true;
  }

  std::string written(SourceRange range) const {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(range), context_.getSourceManager(),
                                context_.getLangOpts())
        .str();
  }

  static bool holds_float_atomics(QualType type) {
    type = type.getNonReferenceType();
    if (type->isPointerType()) type = type->getPointeeType();
    type = QualType(type->getBaseElementTypeUnsafe(), 0);
    if (library_name(type) != "_atomic") return false;
    const auto& made = cast<ClassTemplateSpecializationDecl>(*type->getAsCXXRecordDecl());
    return made.getTemplateArgs()[0].getAsType()->isSpecificBuiltinType(BuiltinType::Float);
  }

  // A type whose name says no space, and hides none: the language's, a number or a vector of the library's,
  // or a struct of the text. These are the types whose pointers slips are made with.
  static bool is_plain(QualType type) {
    if (type->isDependentType() || type->getAs<SubstTemplateTypeParmType>() != nullptr) return false;
    if (type->getAs<BuiltinType>() != nullptr) return true;
    const llvm::StringRef of_library = library_name(type);
    if (!of_library.empty())
      return of_library == "vec" || of_library == "packed_vec" || of_library == "bfloat" ||
             of_library == "sampler" || names_texture(of_library);
    const auto* const record = type->getAsCXXRecordDecl();
    return record != nullptr && !isa<ClassTemplateSpecializationDecl>(record);
  }

  // `float* p`, `S& s`: where what is pointed to lies has to be said.
  bool check(TypeLoc to, SourceLocation sigil, const char* what) {
    const QualType type = to.getType();
    if (!is_plain(type) || sigil.isMacroID() || to.getBeginLoc().isMacroID()) return true;
    const auto* const alias = type->getAs<TypedefType>();
    if (alias != nullptr && !alias->getDecl()->isFromASTFile()) return true;
    const SourceManager& sources = context_.getSourceManager();
    const auto [file, end] = sources.getDecomposedLoc(sigil);
    if (has_space(sources.getBufferData(file).take_front(end))) return true;
    return say(sigil,
               std::string("a ") + what + " to `" + written(to.getUnqualifiedLoc().getSourceRange()) +
                   "` without an address space: write device, constant, threadgroup or thread before it");
  }

  // `texture2d<float>` is `texture2d`; as it is where a ">" closes none.
  static llvm::StringRef without_arguments(llvm::StringRef type) {
    if (!type.ends_with(">")) return type;
    std::size_t depth = 0;
    for (std::size_t i = type.size(); i-- > 0;) {
      if (type[i] == '>') ++depth;
      if (type[i] == '<' && --depth == 0) return type.take_front(i).rtrim();
      if (type[i] == ';' || type[i] == '{' || type[i] == '(') break;
    }
    return type;
  }

  // Among the words that stand right before. What is not understood is let pass, as the second of two
  // declarators.
  static bool has_space(llvm::StringRef before) {
    before = before.rtrim();
    while (before.consume_back("const") || before.consume_back("volatile")) before = before.rtrim();
    before = without_arguments(before);
    if (before.empty() || !is_word_character(before.back())) return true;
    for (;;) {
      before = before.rtrim();
      if (before.empty()) return false;
      if (before.ends_with("::")) {
        before = before.drop_back(2);
        continue;
      }
      std::size_t size = 0;
      while (size < before.size() && is_word_character(before[before.size() - 1 - size])) ++size;
      if (size == 0) return before.ends_with(">") || before.ends_with("]");
      if (says_space(before.take_back(size))) return true;
      before = before.drop_back(size);
    }
  }

  const ASTContext& context_;
  std::vector<Diagnostic>& errors_;
};

}  // namespace

std::unique_ptr<ASTConsumer> slips(std::vector<Diagnostic>& errors) {
  return for_each_declaration(
      [&errors](Sema& sema, Decl& one) { SlipsVisitor(sema.Context, errors).TraverseDecl(&one); });
}

}  // namespace assay::metal
