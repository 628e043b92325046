#include "harness/metal/clang/lengths.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ASTMutationListener.h>
#include <clang/AST/ASTStructuralEquivalence.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <set>
#include <utility>

namespace assay::metal {
namespace {

using namespace clang;

// Where parameters stand: of which template around the other, and the how manyth. Types of one shape are one
// to clang, so that what is found may be the parameter of another template.
using Places = std::set<std::pair<unsigned, unsigned>>;

class LengthsIn : public RecursiveASTVisitor<LengthsIn> {
 public:
  bool VisitTemplateSpecializationType(TemplateSpecializationType* type) {
    const TemplateDecl* const of = type->getTemplateName().getAsTemplateDecl();
    if (of == nullptr || (of->getName() != "vec" && of->getName() != "matrix")) return true;
    const TemplateParameterList& own = *of->getTemplateParameters();
    for (unsigned i = 0; i < type->template_arguments().size() && i < own.size(); ++i) {
      const TemplateArgument& one = type->template_arguments()[i];
      const auto* const taken = dyn_cast<NonTypeTemplateParmDecl>(own.getParam(i));  // of the text's own: any
      if (one.getKind() != TemplateArgument::Expression || taken == nullptr ||
          !taken->getType()->isSpecificBuiltinType(BuiltinType::Int))
        continue;
      const auto* const name = dyn_cast<DeclRefExpr>(one.getAsExpr()->IgnoreParenImpCasts());
      const auto* const length =
          name == nullptr ? nullptr : dyn_cast<NonTypeTemplateParmDecl>(name->getDecl());
      if (length != nullptr) found_.emplace(length->getDepth(), length->getIndex());
    }
    return true;
  }
  const Places& found() const { return found_; }

 private:
  Places found_;
};

// Is any of the parameters a length of another type than int?
bool make_int(ASTContext& context, TemplateParameterList& parameters, const Places& lengths) {
  bool any = false;
  for (NamedDecl* one : parameters) {
    auto* const length = dyn_cast<NonTypeTemplateParmDecl>(one);
    if (length == nullptr || !lengths.contains({length->getDepth(), length->getIndex()})) continue;
    const QualType type = length->getType();
    if (type->isDependentType() || !type->isIntegralType(context) || type->isBooleanType() ||
        context.hasSameUnqualifiedType(type, context.IntTy))
      continue;
    length->setType(context.IntTy);
    length->setTypeSourceInfo(context.getTrivialTypeSourceInfo(context.IntTy, length->getLocation()));
    any = true;
  }
  return any;
}

class Lengths : public ASTConsumer, public ASTMutationListener {
 public:
  void Initialize(ASTContext& context) override { context_ = &context; }
  ASTMutationListener* GetASTMutationListener() override { return this; }

  void AddedVisibleDecl(const DeclContext*, const Decl* added) override {
    if (isa<FunctionTemplateDecl>(added))
      take(const_cast<FunctionTemplateDecl&>(*cast<FunctionTemplateDecl>(added)));
  }
  // Members are not told of one by one. Those of a class template stay as they are written until it has
  // instances, since their definitions may follow.
  void HandleTagDeclDefinition(TagDecl* defined) override {
    if (defined->isDependentContext()) return;
    for (Decl* one : defined->decls())
      if (auto* const member = dyn_cast<FunctionTemplateDecl>(one)) take(*member);
  }
  void AddedCXXTemplateSpecialization(const ClassTemplateDecl*,
                                      const ClassTemplateSpecializationDecl* added) override {
    const auto* const some = dyn_cast<ClassTemplatePartialSpecializationDecl>(added);
    if (some == nullptr) return;
    LengthsIn lengths;
    for (const TemplateArgument& one : some->getTemplateArgs().asArray())
      lengths.TraverseTemplateArgument(one);
    make_int(*context_, *some->getTemplateParameters(), lengths.found());
  }

 private:
  void take(FunctionTemplateDecl& one) {
    LengthsIn lengths;
    lengths.TraverseType(one.getTemplatedDecl()->getType());
    if (make_int(*context_, *one.getTemplateParameters(), lengths.found())) join(one);
  }

  // With an earlier declaration of the same, which clang no longer takes for that, since its parameter is an
  // int.
  void join(FunctionTemplateDecl& one) {
    if (one.getPreviousDecl() != nullptr) return;
    for (NamedDecl* other : one.getDeclContext()->getRedeclContext()->lookup(one.getDeclName())) {
      auto* const earlier = dyn_cast<FunctionTemplateDecl>(other);
      if (earlier == nullptr || earlier == &one || !is_same(*earlier, one)) continue;
      one.setPreviousDecl(earlier->getMostRecentDecl());
      one.mergePrevDecl(earlier);
      one.getTemplatedDecl()->setPreviousDecl(earlier->getTemplatedDecl()->getMostRecentDecl());
      return;
    }
  }
  // Types that are read apart are two to clang as soon as one of them has another parameter than before.
  bool is_same(FunctionTemplateDecl& one, FunctionTemplateDecl& other) const {
    llvm::DenseSet<std::pair<Decl*, Decl*>> different;
    StructuralEquivalenceContext both(*context_, *context_, different, StructuralEquivalenceKind::Default,
                                      false, false);
    return one.getTemplateParameters()->size() == other.getTemplateParameters()->size() &&
           both.IsEquivalent(one.getTemplatedDecl()->getType(), other.getTemplatedDecl()->getType());
  }

  ASTContext* context_ = nullptr;
};

}  // namespace

std::unique_ptr<ASTConsumer> lengths_of_any_type() { return std::make_unique<Lengths>(); }

}  // namespace assay::metal
