#include "harness/metal/clang/literals.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include "harness/metal/clang/text_declarations.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class LiteralsVisitor : public RecursiveASTVisitor<LiteralsVisitor> {
 public:
  explicit LiteralsVisitor(const ASTContext& context) : context_(context) {}

  bool VisitFloatingLiteral(FloatingLiteral* one) {
    if (!one->getType()->isSpecificBuiltinType(BuiltinType::Double)) return true;
    llvm::APFloat value = one->getValue();
    bool inexact = false;
    value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    one->setSemantics(value.getSemantics());
    one->setValue(context_, value);
    one->setType(context_.FloatTy);
    return true;
  }

 private:
  const ASTContext& context_;
};

}  // namespace

std::unique_ptr<ASTConsumer> literals() {
  return for_each_declaration(
      [](Sema& sema, Decl& one) { LiteralsVisitor(sema.Context).TraverseDecl(&one); });
}

}  // namespace assay::metal
