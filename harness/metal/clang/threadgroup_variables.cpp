#include "harness/metal/clang/threadgroup_variables.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

bool has_slot(const VarDecl& variable) {
  for (const auto* one : variable.specific_attrs<AnnotateAttr>()) {
    if (one->getAnnotation().starts_with(kSlotAnnotation)) return true;
  }
  return false;
}

// `= {}` and `= {0}`, which Apple's compiler takes; MLX's kernels have it. Nobody can rely on it: every
// thread would write, without a barrier behind. So it says nothing of what is there.
bool is_list_of_zeros(const Expr& value, const ASTContext& context) {
  const auto* const list = dyn_cast<InitListExpr>(value.IgnoreImplicit());
  if (list == nullptr) return false;
  return llvm::all_of(list->inits(), [&](const Expr* one) {
    Expr::EvalResult result;
    if (isa<ImplicitValueInitExpr>(one) || is_list_of_zeros(*one, context)) return true;
    if (one->isValueDependent() || !one->EvaluateAsRValue(result, context)) return false;
    return (result.Val.isInt() && result.Val.getInt() == 0) ||
           (result.Val.isFloat() && result.Val.getFloat().isPosZero());
  });
}

class VariablesVisitor : public RecursiveASTVisitor<VariablesVisitor> {
 public:
  VariablesVisitor(ASTContext& context, std::vector<std::string>& names, std::vector<Diagnostic>& errors)
      : context_(context), names_(names), errors_(errors) {}

  bool VisitVarDecl(VarDecl* variable) {
    if (isa<ParmVarDecl>(variable) || !variable->isLocalVarDecl() || variable->isInvalidDecl() ||
        annotation_of(*variable, "threadgroup") == nullptr || !is_written_as_object(*variable))
      return true;
    if (variable->getInit() != nullptr && !begins_without_value(*variable) &&
        !is_list_of_zeros(*variable->getInit(), context_)) {
      errors_.push_back({place_of(*variable),
                         "`" + variable->getNameAsString() +
                             "` is in threadgroup memory, where Metal allows no initialiser",
                         {}});
      return true;
    }
    refuse_large(*variable);
    variable->setInit(nullptr);
    variable->setStorageClass(SC_None);
    if (has_slot(*variable)) return true;  // what it is an instance of has one
    variable->addAttr(UninitializedAttr::CreateImplicit(context_));
    const std::string slot = kSlotAnnotation + std::to_string(names_.size());
    variable->addAttr(AnnotateAttr::CreateImplicit(context_, slot, nullptr, 0));
    names_.push_back(variable->getNameAsString());
    return true;
  }

 private:
  void refuse_large(const VarDecl& variable) {
    const QualType type = variable.getType();
    if (type->isDependentType() || type->isIncompleteType() || type->isUndeducedType()) return;
    if (context_.getTypeSizeInChars(type).getQuantity() > 0x7fffffff)
      errors_.push_back(
          {place_of(variable), "assay: a variable in threadgroup memory has 2^31 bytes or more", {}});
  }

  ASTContext& context_;
  std::vector<std::string>& names_;
  std::vector<Diagnostic>& errors_;
};

class VariablesReader : public ASTConsumer {
 public:
  VariablesReader(std::vector<std::string>& names, std::vector<Diagnostic>& errors)
      : names_(names), errors_(errors) {}
  void Initialize(ASTContext& context) override { context_ = &context; }
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl* one : group)
      if (!one->isFromASTFile()) VariablesVisitor(*context_, names_, errors_).TraverseDecl(one);
    return true;
  }

 private:
  std::vector<std::string>& names_;
  std::vector<Diagnostic>& errors_;
  ASTContext* context_ = nullptr;
};

}  // namespace

bool is_written_as_object(const VarDecl& variable) {
  const TypeSourceInfo* const written = variable.getTypeSourceInfo();
  if (written == nullptr) return true;
  for (TypeLoc part = written->getTypeLoc(); !part.isNull(); part = part.getNextTypeLoc()) {
    if (part.getAs<PointerTypeLoc>() || part.getAs<ReferenceTypeLoc>()) return false;
    if (!part.getAs<ArrayTypeLoc>() && !part.getAs<ParenTypeLoc>() && !part.getAs<QualifiedTypeLoc>() &&
        !part.getAs<AttributedTypeLoc>())
      return true;
  }
  return true;
}

bool begins_without_value(const VarDecl& variable) {
  const auto* const made = dyn_cast<CXXConstructExpr>(variable.getInit()->IgnoreImplicit());
  return variable.getInitStyle() == VarDecl::CallInit && made != nullptr && made->getNumArgs() == 0 &&
         made->getParenOrBraceRange().isInvalid();
}

std::unique_ptr<ASTConsumer> threadgroup_variables(std::vector<std::string>& names,
                                                   std::vector<Diagnostic>& errors) {
  return std::make_unique<VariablesReader>(names, errors);
}

}  // namespace assay::metal
