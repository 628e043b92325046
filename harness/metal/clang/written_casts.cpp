#include "harness/metal/clang/written_casts.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <vector>

#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class CastsVisitor : public RecursiveASTVisitor<CastsVisitor> {
 public:
  CastsVisitor(const SourceManager& sources, WrittenCasts& found) : sources_(sources), found_(found) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  // What is written out, and what clang does on its behalf.
  bool VisitCastExpr(CastExpr* cast) {
    const auto* const implicit = dyn_cast<ImplicitCastExpr>(cast);
    if (implicit != nullptr && !implicit->isPartOfExplicitCast()) return true;
    const bool to_integer = cast->getCastKind() == CK_FloatingToIntegral;
    if (!to_integer && cast->getCastKind() != CK_PointerToIntegral) return true;
    const PresumedLoc at = sources_.getPresumedLoc(cast->getExprLoc());
    if (at.isValid())
      (to_integer ? found_.to_integers : found_.of_addresses)
          .insert({at.getFilename(), at.getLine(), at.getColumn()});
    return true;
  }

 private:
  const SourceManager& sources_;
  WrittenCasts& found_;
};

// Templates have their instances at the end.
class CastsReader : public ASTConsumer {
 public:
  CastsReader(std::string library, WrittenCasts& found) : library_(std::move(library)), found_(found) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    // Nothing of the library's, whose functions are made for the text's types here, too.
    for (Decl* one : group)
      if (!one->isFromASTFile() && !place_of(*one).file.starts_with(library_)) declarations_.push_back(one);
    return true;
  }
  void HandleTranslationUnit(ASTContext& context) override {
    CastsVisitor visitor(context.getSourceManager(), found_);
    for (Decl* one : declarations_) visitor.TraverseDecl(one);
  }

 private:
  std::string library_;
  WrittenCasts& found_;
  std::vector<Decl*> declarations_;
};

}  // namespace

std::unique_ptr<ASTConsumer> written_casts(std::string library, WrittenCasts& found) {
  return std::make_unique<CastsReader>(std::move(library), found);
}

}  // namespace assay::metal
