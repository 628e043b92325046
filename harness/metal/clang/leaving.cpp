#include "harness/metal/clang/leaving.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/text_declarations.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class LeavingVisitor : public RecursiveASTVisitor<LeavingVisitor> {
 public:
  LeavingVisitor(Sema& sema, FunctionDecl& note) : sema_(sema), note_(note) {}

  bool VisitFunctionDecl(FunctionDecl* function) {
    auto* const body = function->isThisDeclarationADefinition()
                           ? dyn_cast_or_null<CompoundStmt>(function->getBody())
                           : nullptr;
    if (body == nullptr || annotation_of(*function, "kernel_function") == nullptr) return true;
    note_returns(*body);
    llvm::SmallVector<Stmt*, 32> all(body->body());
    all.push_back(call(body->getRBracLoc()));
    function->setBody(block(all, body->getLBracLoc(), body->getRBracLoc()));
    return true;
  }

 private:
  // Not those of lambdas.
  void note_returns(Stmt& around) {
    for (Stmt*& one : around.children()) {
      if (one == nullptr || isa<Expr>(one)) continue;
      if (isa<ReturnStmt>(one)) {
        one = block({call(one->getBeginLoc()), one}, one->getBeginLoc(), one->getEndLoc());
      } else {
        note_returns(*one);
      }
    }
  }

  Stmt* block(llvm::ArrayRef<Stmt*> all, SourceLocation begin, SourceLocation end) {
    return CompoundStmt::Create(sema_.Context, all, FPOptionsOverride(), begin, end);
  }

  Stmt* call(SourceLocation at) { return call_of(sema_, note_, {}, at); }

  Sema& sema_;
  FunctionDecl& note_;
};

}  // namespace

std::unique_ptr<ASTConsumer> leaving() {
  return for_each_declaration([](Sema& sema, Decl& one) {
    FunctionDecl* const note = library_function(sema, "assay_leave");
    if (note != nullptr) LeavingVisitor(sema, *note).TraverseDecl(&one);
  });
}

}  // namespace assay::metal
