#include "harness/metal/clang/early_barriers.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/shapes.hpp"
#include "harness/metal/clang/text_declarations.hpp"

namespace assay::metal {
namespace {

using namespace clang;

// What is called, also where a template leaves open which of that name; "" of anything else.
llvm::StringRef called_by(const Stmt& one) {
  const auto* const whole = dyn_cast<Expr>(&one);
  const auto* const call = whole == nullptr ? nullptr : dyn_cast<CallExpr>(whole->IgnoreImplicit());
  return call == nullptr || isa<CXXMemberCallExpr>(call) ? "" : called_name(*call);
}

// May an expression read memory that others write? Every lane evaluates arguments, and those that went on
// early would do so too soon.
class Reads : public RecursiveASTVisitor<Reads> {
 public:
  // `elements`: those of matrices are lane 0's, but not what chooses them.
  static bool in(Stmt* one, bool elements = false) {
    Reads reads(elements);
    reads.TraverseStmt(one);
    return reads.found_;
  }

  bool VisitArraySubscriptExpr(ArraySubscriptExpr*) { return elements_ || found(); }
  bool VisitMemberExpr(MemberExpr* one) { return !one->isArrow() || found(); }
  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr* one) {
    return !one->isArrow() || found();
  }
  bool VisitUnaryOperator(UnaryOperator* one) { return one->getOpcode() != UO_Deref || found(); }
  bool VisitCallExpr(CallExpr* one) {
    const llvm::StringRef name = called_by(*one);
    return name == "min" || name == "max" || found();
  }
  bool VisitDeclRefExpr(DeclRefExpr* one) {
    const auto* const variable = dyn_cast<VarDecl>(one->getDecl());
    if (variable == nullptr) return true;
    const QualType type = variable->getType();
    const bool deduced = type->isReferenceType() && type->getContainedAutoType() != nullptr;
    const bool shared = (has_word(*variable, "threadgroup") || has_word(*variable, "device")) &&
                        !type->isPointerType() && !type.getNonReferenceType()->isArrayType();
    return !(deduced || shared) || found();
  }
  // The index of an element of a matrix is read whatever the matrix is.
  bool TraverseArraySubscriptExpr(ArraySubscriptExpr* one) {
    if (!elements_) return RecursiveASTVisitor::TraverseArraySubscriptExpr(one);
    found_ |= in(one->getIdx());
    return TraverseStmt(one->getBase());
  }

 private:
  explicit Reads(bool elements) : elements_(elements) {}
  bool found() {
    found_ = true;
    return false;
  }

  bool elements_;
  bool found_ = false;
};

bool arguments_read(const CallExpr& call, bool moves) {
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    Expr* const one = const_cast<Expr*>(call.getArg(i));
    if (!isa<CXXDefaultArgExpr>(one) && Reads::in(one, !moves || i == 0)) return true;
  }
  return false;
}

bool is_simdgroup_matrix(QualType type) {
  if (library_name(type) == "simdgroup_matrix") return true;
  const auto* const made = type->getAs<TemplateSpecializationType>();
  const TemplateDecl* const of = made == nullptr ? nullptr : made->getTemplateName().getAsTemplateDecl();
  return of != nullptr && of->getName() == "simdgroup_matrix";
}

// Something that only lane 0 acts on: matrices, operations on them, loops over those.
bool is_matrix_work(const Stmt& one) {
  if (isa<NullStmt>(one)) return true;
  if (const auto* block = dyn_cast<CompoundStmt>(&one))
    return llvm::all_of(block->body(), [](const Stmt* inner) { return is_matrix_work(*inner); });
  if (const auto* attributed = dyn_cast<AttributedStmt>(&one))
    return is_matrix_work(*attributed->getSubStmt());
  if (const auto* loop = dyn_cast<ForStmt>(&one)) {
    for (const Stmt* part : {loop->getInit(), static_cast<const Stmt*>(loop->getCond()),
                             static_cast<const Stmt*>(loop->getInc())})
      if (part != nullptr && Reads::in(const_cast<Stmt*>(part))) return false;
    return is_matrix_work(*loop->getBody());
  }
  if (const auto* declared = dyn_cast<DeclStmt>(&one)) {
    return llvm::all_of(declared->decls(), [](const Decl* each) {
      const auto* const variable = dyn_cast<VarDecl>(each);
      if (variable == nullptr) return false;
      const Type* const element = variable->getType()->getBaseElementTypeUnsafe();
      const auto* const made = dyn_cast_or_null<CXXConstructExpr>(variable->getInit());
      return is_simdgroup_matrix(QualType(element, 0)) &&
             (variable->getInit() == nullptr || (made != nullptr && made->getNumArgs() == 0));
    });
  }
  const llvm::StringRef name = called_by(one);
  const bool moves = name == "simdgroup_load" || name == "simdgroup_store";
  if (!moves && name != "simdgroup_multiply" && name != "simdgroup_multiply_accumulate") return false;
  return !arguments_read(*cast<CallExpr>(cast<Expr>(&one)->IgnoreImplicit()), moves);
}

class BarriersVisitor : public RecursiveASTVisitor<BarriersVisitor> {
 public:
  BarriersVisitor(Sema& sema, FunctionDecl& early) : sema_(sema), early_(early) {}

  bool VisitCompoundStmt(CompoundStmt* block) {
    Stmt** first = nullptr;  // a barrier with nothing but matrix work behind it
    bool work = false;
    for (Stmt*& one : llvm::make_range(block->body_begin(), block->body_end())) {
      if (called_by(*one) == "simdgroup_barrier") {
        if (first != nullptr && work) replace(*first);
        first = &one;
        work = false;
      } else if (first != nullptr && is_matrix_work(*one)) {
        work = true;
      } else {
        first = nullptr;
      }
    }
    return true;
  }

 private:
  void replace(Stmt*& barrier) {
    auto* const call = cast<CallExpr>(cast<Expr>(barrier)->IgnoreImplicit());
    const unsigned written = static_cast<unsigned>(
        llvm::count_if(call->arguments(), [](const Expr* one) { return !isa<CXXDefaultArgExpr>(one); }));
    Expr* flags = call->getNumArgs() == 0 ? nullptr : call->getArg(0);
    if (written == 1) barrier = call_of(sema_, early_, flags, call->getBeginLoc());
  }

  Sema& sema_;
  FunctionDecl& early_;
};

}  // namespace

std::unique_ptr<ASTConsumer> early_barriers() {
  return for_each_declaration([](Sema& sema, Decl& one) {
    FunctionDecl* const early = library_function(sema, "assay_early_barrier");
    if (early != nullptr) BarriersVisitor(sema, *early).TraverseDecl(&one);
  });
}

}  // namespace assay::metal
