#include "harness/metal/clang/refusals.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/shapes.hpp"
#include "harness/metal/clang/threadgroup_variables.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class RefusalsVisitor : public RecursiveASTVisitor<RefusalsVisitor> {
 public:
  RefusalsVisitor(const ASTContext& context, bool lambdas, std::vector<Diagnostic>& errors)
      : context_(context), lambdas_(lambdas), errors_(errors) {}

  bool VisitTypeLoc(TypeLoc type) {
    const auto builtin = type.getAs<BuiltinTypeLoc>();
    if (builtin.isNull()) return true;
    switch (builtin.getTypePtr()->getKind()) {
      case BuiltinType::Double:
        return say(type.getBeginLoc(), "Metal has no `double`");
      case BuiltinType::LongLong:
      case BuiltinType::ULongLong:
        return say(type.getBeginLoc(), "Metal has no `long long`; its `long` has 64 bits");
      case BuiltinType::Int128:
      case BuiltinType::UInt128:
        return say(type.getBeginLoc(), "Metal has no `__int128`");
      default:
        return true;
    }
  }
  bool VisitConstantArrayTypeLoc(ConstantArrayTypeLoc one) {
    return one.getTypePtr()->getSize() != 0 ||
           say(one.getBeginLoc(), "an array of no elements, which Metal does not have");
  }
  // What a literal operator is given, and takes, has the type that C++ says.
  bool TraverseFunctionDecl(FunctionDecl* one) {
    if (one->getLiteralIdentifier() == nullptr) return RecursiveASTVisitor::TraverseFunctionDecl(one);
    return TraverseStmt(one->getBody());
  }
  bool TraverseUserDefinedLiteral(UserDefinedLiteral*) { return true; }
  bool VisitFloatingLiteral(FloatingLiteral* literal) {
    if (!literal->getType()->isSpecificBuiltinType(BuiltinType::LongDouble)) return true;
    const auto text = Lexer::getSourceText(CharSourceRange::getTokenRange(literal->getSourceRange()),
                                           context_.getSourceManager(), context_.getLangOpts());
    return say(literal->getBeginLoc(), "`" + text.str() + "`: Metal has no `double`");
  }

  bool VisitLabelStmt(LabelStmt* one) { return say(one->getBeginLoc(), "Metal has no labels"); }
  bool VisitGotoStmt(GotoStmt* one) { return say(one->getBeginLoc(), "Metal has no `goto`"); }
  bool VisitIndirectGotoStmt(IndirectGotoStmt* one) {
    return say(one->getBeginLoc(), "a `goto` to an address is not supported");
  }
  bool VisitAddrLabelExpr(AddrLabelExpr* one) {
    return say(one->getBeginLoc(), "Metal has no addresses of labels");
  }
  bool VisitLambdaExpr(LambdaExpr* one) {
    if (lambdas_) return true;
    return say(one->getBeginLoc(),
               "lambda expressions are not supported in Metal before version 4.0 (--metal-version 4.0)");
  }

  // Names of types, and what templates are given: what is done with them counts, and calls through them that
  // are left ir/calls.hpp finds.
  bool TraverseTypedefDecl(TypedefDecl* one) {
    return in_name([&] { return RecursiveASTVisitor::TraverseTypedefDecl(one); });
  }
  bool TraverseTypeAliasDecl(TypeAliasDecl* one) {
    return in_name([&] { return RecursiveASTVisitor::TraverseTypeAliasDecl(one); });
  }
  bool TraverseNonTypeTemplateParmDecl(NonTypeTemplateParmDecl* one) {
    return in_name([&] { return RecursiveASTVisitor::TraverseNonTypeTemplateParmDecl(one); });
  }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc& one) {
    return in_name([&] { return RecursiveASTVisitor::TraverseTemplateArgumentLoc(one); });
  }
  bool VisitMemberPointerTypeLoc(MemberPointerTypeLoc one) {
    return in_name_ || say(one.getBeginLoc(), "Metal has no pointers to members");
  }
  bool VisitPointerTypeLoc(PointerTypeLoc one) { return refuse_function(one.getPointeeLoc()); }
  bool VisitReferenceTypeLoc(ReferenceTypeLoc one) { return refuse_function(one.getPointeeLoc()); }

  bool VisitDeclaratorDecl(DeclaratorDecl* one) {
    if (isa<FunctionDecl>(one)) return true;
    const bool word = one->getName().empty() && annotation_of(*one, "kernel_function") != nullptr;
    const llvm::StringRef name = word ? "kernel" : one->getName();
    if (!word && name != "half" && name != "bfloat") return true;
    return say(one->getLocation(),
               "`" + name.str() + "` is a keyword in Metal, and no name: cannot combine with previous `" +
                   one->getType().getUnqualifiedType().getAsString() + "` declaration specifier");
  }

  bool VisitFunctionDecl(FunctionDecl* one) {
    const bool kernel = annotation_of(*one, "kernel_function") != nullptr;
    if (kernel && isa<CXXMethodDecl>(one))
      return say_whatever_is_used(
          one->getLocation(), "`" + one->getNameAsString() +
                                  "` is a kernel and a member of a class; a kernel is a function of its own");
    return !one->isMain() ||
           say_whatever_is_used(one->getLocation(), "no function is called `main` in Metal");
  }
  bool VisitParmVarDecl(ParmVarDecl* one) {
    const char* const space = space_of(*one);
    return *space == 0 || one->getOriginalType()->isArrayType() ||
           say(one->getLocation(), "`" + one->getNameAsString() +
                                       "`: a parameter that is a value lies in no `" + space + "` memory");
  }

  bool VisitVarDecl(VarDecl* one) {
    if (isa<ParmVarDecl>(one)) return true;
    if (one->getStorageClass() == SC_Register) say(one->getLocation(), "Metal has no `register`");
    for (const auto* each : one->specific_attrs<AnnotateAttr>())
      if (is_of_parameters(each->getAnnotation()) && each->getAnnotation() != "function_constant" &&
          each->getAnnotation() != "id")
        return say_whatever_is_used(each->getLocation(), "[[" + each->getAnnotation().str() +
                                                             "]] is of a parameter, and `" +
                                                             one->getNameAsString() + "` is none");
    if (one->isLocalVarDecl()) {
      refuse_space(*one);
      refuse_handle(*one);
    }
    if (!one->isFileVarDecl() || one->isStaticDataMember() || one->getDescribedVarTemplate() != nullptr ||
        one->isInvalidDecl() || one->isExternC() || one->getType()->isReferenceType() ||
        annotation_of(*one, "constant") != nullptr || annotation_of(*one, "threadgroup") != nullptr ||
        library_name(one->getType()) == "sampler")
      return true;
    return say(one->getLocation(),
               "`" + one->getNameAsString() +
                   "`: program scope variable must reside in constant address space: write "
                   "`constant` before its type");
  }

 private:
  // The space that a variable, or a parameter, itself is said to lie in; "" where the word is of what it
  // points to, and where a template leaves that open.
  static const char* space_of(const VarDecl& one) {
    if (one.getType()->isDependentType() || !is_written_as_object(one)) return "";
    for (const char* space : {"device", "constant", "threadgroup"})
      if (annotation_of(one, space) != nullptr) return space;
    return "";
  }

  void refuse_space(const VarDecl& one) {
    const llvm::StringRef space = space_of(one);
    const bool fixed = one.isConstexpr() || one.isStaticLocal();
    if (space == "device" || (space == "constant" && !fixed))
      say(one.getLocation(), "`" + one.getNameAsString() + "`: a variable of a function lies in no `" +
                                 space.str() + "` memory");
    if (space == "threadgroup" && !is_in_kernel(one))
      say(one.getLocation(), "`" + one.getNameAsString() +
                                 "`: a variable in threadgroup memory is declared in a kernel; hand it to "
                                 "functions");
  }

  // Textures are the host's, and samplers that are not are constant expressions. Either may be a copy.
  void refuse_handle(const VarDecl& one) {
    const llvm::StringRef type = library_name(one.getType());
    const bool texture = names_texture(type);
    if (!texture && (type != "sampler" || one.isConstexpr())) return;
    const Expr* const value = one.getInit() == nullptr ? nullptr : one.getInit()->IgnoreImplicit();
    const auto* const made = dyn_cast_or_null<CXXConstructExpr>(value);
    if (value != nullptr && (made == nullptr || made->getConstructor()->isCopyOrMoveConstructor())) return;
    say(one.getLocation(), "`" + one.getNameAsString() +
                               (texture ? "`: a texture is a parameter of the kernel, or a copy of one"
                                        : "`: a sampler that is no parameter must be constexpr"));
  }

  static bool is_in_kernel(const VarDecl& one) {
    for (const DeclContext* scope = one.getDeclContext(); scope != nullptr; scope = scope->getParent()) {
      const auto* const function = dyn_cast<FunctionDecl>(scope);
      if (function != nullptr && annotation_of(*function, "kernel_function") != nullptr) return true;
    }
    return false;
  }

  bool say(SourceLocation at, std::string message) {
    errors_.push_back({place_of(context_.getSourceManager(), at), std::move(message), {}});
    return true;
  }

  // What is at no byte of the text is within no part of it that a kernel could leave unused.
  bool say_whatever_is_used(SourceLocation at, std::string message) {
    say(at, std::move(message));
    errors_.back().place.byte.reset();
    return true;
  }

  template <class Traverse>
  bool in_name(Traverse traverse) {
    const bool outer = std::exchange(in_name_, true);
    const bool goes_on = traverse();
    in_name_ = outer;
    return goes_on;
  }

  bool refuse_function(TypeLoc to) {
    if (in_name_) return true;
    for (to = to.IgnoreParens(); !to.isNull(); to = to.getNextTypeLoc().IgnoreParens()) {
      if (to.getAs<FunctionTypeLoc>())
        return say(to.getBeginLoc(),
                   "a pointer or reference to a function, which Metal does not have; call the "
                   "function by its name");
      if (!to.getAs<QualifiedTypeLoc>() && !to.getAs<AttributedTypeLoc>()) break;
    }
    return true;
  }

  const ASTContext& context_;
  bool lambdas_;
  std::vector<Diagnostic>& errors_;
  bool in_name_ = false;
};

class RefusalsReader : public ASTConsumer {
 public:
  RefusalsReader(bool lambdas, const bool& ended, std::vector<Diagnostic>& errors)
      : lambdas_(lambdas), ended_(ended), errors_(errors) {}
  void Initialize(ASTContext& context) override { context_ = &context; }
  // What is written: instances of templates come here too, and repeat it.
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl* one : group) {
      const auto* const function = dyn_cast<FunctionDecl>(one);
      if (ended_ || one->isFromASTFile() || (function != nullptr && function->isTemplateInstantiation()))
        continue;
      RefusalsVisitor(*context_, lambdas_, errors_).TraverseDecl(one);
    }
    return true;
  }

 private:
  bool lambdas_;
  const bool& ended_;
  std::vector<Diagnostic>& errors_;
  ASTContext* context_ = nullptr;
};

}  // namespace

std::unique_ptr<ASTConsumer> refusals(bool lambdas, const bool& ended, std::vector<Diagnostic>& errors) {
  return std::make_unique<RefusalsReader>(lambdas, ended, errors);
}

}  // namespace assay::metal
