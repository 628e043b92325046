#include "harness/metal/clang/constants.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

bool is_in(const std::string& folder, const SourceManager& sources, SourceLocation at) {
  return place_of(sources, at).file.starts_with(folder);
}

// Looks for a part of an expression that is no constant of Metal.
class Part : public RecursiveASTVisitor<Part> {
 public:
  Part(const SourceManager& sources, const std::string& library) : sources_(sources), library_(library) {}

  bool VisitCallExpr(CallExpr* call) { return allows(call->getDirectCallee()); }
  bool VisitCXXConstructExpr(CXXConstructExpr* call) { return allows(call->getConstructor()); }
  bool VisitDeclRefExpr(DeclRefExpr* name) {
    const auto* const variable = dyn_cast<VarDecl>(name->getDecl());
    if (variable == nullptr || isa<ParmVarDecl>(variable)) return true;
    if (variable->getType().isConstQualified() && variable->getAnyInitializer() != nullptr) return true;
    found_ = true;
    name_ = variable->getNameAsString();
    return false;
  }

  bool found() const { return found_; }
  const std::string& name() const { return name_; }  ///< of a variable, or ""

 private:
  bool allows(const FunctionDecl* called) {
    if (called != nullptr &&
        (called->isConstexpr() || called->isImplicit() || called->isDefaulted() ||
         called->getBuiltinID() != 0 || is_in(library_, sources_, called->getLocation())))
      return true;
    found_ = true;
    return false;
  }

  const SourceManager& sources_;
  const std::string& library_;
  bool found_ = false;
  std::string name_;
};

class Variables : public RecursiveASTVisitor<Variables> {
 public:
  Variables(ASTContext& context, const std::string& library, std::vector<Diagnostic>& errors)
      : context_(context), library_(library), errors_(errors) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitVarDecl(VarDecl* variable) {
    if (isa<ParmVarDecl>(variable) || variable->getType()->isDependentType() || variable->isInvalidDecl() ||
        is_in(library_, context_.getSourceManager(), variable->getLocation()))
      return true;
    if (variable->hasGlobalStorage() && !variable->getType().isConstant(context_) &&
        !variable->hasExternalStorage()) {
      say(variable->getLocation(),
          "`" + variable->getNameAsString() +
              "` is shared by all threads and can be written to, which Metal does not allow; write "
              "`constant` if nothing writes to it");
      return true;
    }
    const Expr* const value = variable->getInit();
    if (value == nullptr || value->isValueDependent()) return true;
    if (!variable->hasGlobalStorage() && !variable->isConstexpr()) return true;
    if (variable->hasConstantInitialization()) return true;
    Part part(context_.getSourceManager(), library_);
    part.TraverseStmt(const_cast<Expr*>(value));
    if (!part.found()) return true;
    if (variable->isConstexpr()) {
      say(variable->getLocation(),
          "constexpr variable '" + variable->getNameAsString() +
              "' must be initialized by a constant expression" +
              (part.name().empty() ? "" : ": '" + part.name() + "' has no constant value"));
    } else {
      say(variable->getLocation(),
          "assay: the value of `" + variable->getNameAsString() +
              "` is not a constant expression, and no code runs before the kernel to compute it");
    }
    return true;
  }

  // `2.5_h`: its operator takes types that Metal lacks.
  bool VisitUserDefinedLiteral(UserDefinedLiteral* literal) {
    const SourceManager& sources = context_.getSourceManager();
    const FunctionDecl* const called = literal->getDirectCallee();
    if (called != nullptr && is_in(library_, sources, called->getLocation())) return true;
    say(literal->getBeginLoc(),
        "assay: `" +
            Lexer::getSourceText(CharSourceRange::getTokenRange(literal->getBeginLoc()), sources,
                                 context_.getLangOpts())
                .str() +
            "`: user-defined literals are not supported");
    return true;
  }

  // A range of indices has its value computed for each of its elements, as the list that clang has made of it
  // says: the library's vectors have constructors, which it would not call more than once.
  bool VisitInitListExpr(InitListExpr* list) {
    (list->getSemanticForm() != nullptr ? list->getSemanticForm() : list)->sawArrayRangeDesignator(false);
    return true;
  }

 private:
  void say(SourceLocation place, std::string message) {
    errors_.push_back({place_of(context_.getSourceManager(), place), std::move(message), {}});
  }

  ASTContext& context_;
  const std::string& library_;
  std::vector<Diagnostic>& errors_;
};

class Checker : public ASTConsumer {
 public:
  Checker(std::string library, std::vector<Diagnostic>& errors)
      : library_(std::move(library)), errors_(errors) {}
  void Initialize(ASTContext& context) override { context_ = &context; }
  // What the text declares, and what instances of its templates do; not what was read ahead of it. Comes
  // ahead of whoever compiles it.
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl* one : group)
      if (!one->isFromASTFile()) Variables(*context_, library_, errors_).TraverseDecl(one);
    return true;
  }
  void HandleCXXStaticMemberVarInstantiation(VarDecl* variable) override {
    Variables(*context_, library_, errors_).VisitVarDecl(variable);
  }

 private:
  std::string library_;
  std::vector<Diagnostic>& errors_;
  ASTContext* context_ = nullptr;
};

}  // namespace

std::unique_ptr<ASTConsumer> constants_checker(std::string library, std::vector<Diagnostic>& errors) {
  return std::make_unique<Checker>(std::move(library), errors);
}

}  // namespace assay::metal
