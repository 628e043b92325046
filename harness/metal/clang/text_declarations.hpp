// The declarations of a text, as clang comes to them. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>

#include <memory>
#include <utility>

namespace assay::metal {

/// Hands over each declaration of the file's level that the text writes, ahead of instances of templates and
/// of what stands behind it: none that was read ahead of the text, and no instance.
template <class See>
std::unique_ptr<clang::ASTConsumer> for_each_declaration(See see) {
  class Consumer : public clang::SemaConsumer {
   public:
    explicit Consumer(See see) : see_(std::move(see)) {}
    void InitializeSema(clang::Sema& sema) override { sema_ = &sema; }
    void ForgetSema() override { sema_ = nullptr; }
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
      for (clang::Decl* one : group) {
        const auto* const function = clang::dyn_cast<clang::FunctionDecl>(one);
        const bool instance = function != nullptr && function->isTemplateInstantiation();
        if (sema_ != nullptr && !one->isFromASTFile() && !instance && is_of_text(*one)) see_(*sema_, *one);
      }
      return true;
    }

   private:
    bool is_of_text(const clang::Decl& one) const {
      const clang::SourceManager& sources = sema_->getSourceManager();
      return sources.getFileID(sources.getExpansionLoc(one.getBeginLoc())) == sources.getMainFileID();
    }

    See see_;
    clang::Sema* sema_ = nullptr;
  };
  return std::make_unique<Consumer>(std::move(see));
}

/// The name of the function that is called, also where a template leaves open which of that name; "" of an
/// operator and of what has no name.
inline llvm::StringRef called_name(const clang::CallExpr& call) {
  if (clang::isa<clang::CXXOperatorCallExpr>(call)) return "";
  if (const clang::FunctionDecl* function = call.getDirectCallee())
    return function->getDeclName().isIdentifier() ? function->getName() : "";
  const auto* const open = clang::dyn_cast<clang::OverloadExpr>(call.getCallee()->IgnoreParenImpCasts());
  return open != nullptr && open->getName().isIdentifier() ? open->getName().getAsIdentifierInfo()->getName()
                                                           : "";
}

/// A function of the library's, outside of its namespaces; null where it has none of that name.
inline clang::FunctionDecl* library_function(clang::Sema& sema, const char* name) {
  clang::LookupResult found(sema, &sema.Context.Idents.get(name), clang::SourceLocation(),
                            clang::Sema::LookupOrdinaryName);
  sema.LookupQualifiedName(found, sema.Context.getTranslationUnitDecl());
  return found.getAsSingle<clang::FunctionDecl>();
}

/// A call of it; nothing, should clang not take it.
inline clang::Stmt* call_of(clang::Sema& sema, clang::FunctionDecl& function, clang::MultiExprArg arguments,
                            clang::SourceLocation at) {
  clang::Expr* const name = sema.BuildDeclRefExpr(&function, function.getType(), clang::VK_LValue, at);
  const clang::ExprResult made = sema.BuildCallExpr(nullptr, name, at, arguments, at);
  if (made.isUsable()) return made.get();
  return new (sema.Context) clang::NullStmt(at);
}

}  // namespace assay::metal
