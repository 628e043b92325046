#include "harness/metal/clang/constants.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace assay::metal {
namespace {

using namespace clang;

bool is_in(const std::string& folder, const SourceManager& sources, SourceLocation at) {
  const PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(at));
  return place.isValid() && std::string(place.getFilename()).starts_with(folder);
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
    const Expr* const value = variable->getInit();
    if (isa<ParmVarDecl>(variable) || value == nullptr || value->isValueDependent() ||
        variable->getType()->isDependentType() || variable->isInvalidDecl())
      return true;
    if (!variable->hasGlobalStorage() && !variable->isConstexpr()) return true;
    const SourceManager& sources = context_.getSourceManager();
    const PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(variable->getLocation()));
    if (at.isInvalid() || is_in(library_, sources, variable->getLocation()) ||
        variable->hasConstantInitialization())
      return true;
    Part part(sources, library_);
    part.TraverseStmt(const_cast<Expr*>(value));
    if (!part.found()) return true;
    std::string message =
        "'constinit' variable '" + variable->getNameAsString() + "' does not have a constant initializer";
    if (variable->isConstexpr())
      message = "constexpr variable '" + variable->getNameAsString() +
                "' must be initialized by a constant expression" +
                (part.name().empty() ? "" : ": '" + part.name() + "' has no constant value");
    errors_.push_back({{at.getFilename(), at.getLine(), at.getColumn()}, message, {}});
    return true;
  }

 private:
  ASTContext& context_;
  const std::string& library_;
  std::vector<Diagnostic>& errors_;
};

class Checker : public ASTConsumer {
 public:
  Checker(std::string library, std::vector<Diagnostic>& errors)
      : library_(std::move(library)), errors_(errors) {}
  void HandleTranslationUnit(ASTContext& context) override {
    if (errors_.empty()) Variables(context, library_, errors_).TraverseDecl(context.getTranslationUnitDecl());
  }

 private:
  std::string library_;
  std::vector<Diagnostic>& errors_;
};

}  // namespace

std::unique_ptr<ASTConsumer> constants_checker(std::string library, std::vector<Diagnostic>& errors) {
  return std::make_unique<Checker>(std::move(library), errors);
}

}  // namespace assay::metal
