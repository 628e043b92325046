#include "harness/metal/clang/handles.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <map>
#include <set>
#include <string>

#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/shapes.hpp"

namespace assay::metal {
namespace {

using namespace clang;

// "texture2d" of one, of an array of them and of an array of the library's; "" of anything else.
llvm::StringRef handle_of(QualType type) {
  type = QualType(type.getCanonicalType()->getBaseElementTypeUnsafe(), 0);
  const llvm::StringRef name = library_name(type);
  if (name == "array") {
    const auto& made = cast<ClassTemplateSpecializationDecl>(*type->getAsCXXRecordDecl());
    return handle_of(made.getTemplateArgs()[0].getAsType());
  }
  const bool handle = names_texture(name) || name == "sampler";
  return handle ? name : "";
}

class Members {
 public:
  void follow(QualType type) {
    type = type.getCanonicalType();
    while (type->isPointerType() || type->isReferenceType() || type->isArrayType())
      type = type->isArrayType() ? QualType(type->getBaseElementTypeUnsafe(), 0) : type->getPointeeType();
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    record = record == nullptr ? nullptr : record->getDefinition();
    if (record == nullptr || !handle_of(type).empty() || !seen_.insert(record).second) return;
    if (const auto* made = dyn_cast<ClassTemplateSpecializationDecl>(record)) {
      for (const TemplateArgument& one : made->getTemplateArgs().asArray())
        if (one.getKind() == TemplateArgument::Type) follow(one.getAsType());
    }
    for (const CXXBaseSpecifier& base : record->bases()) follow(base.getType());
    for (const FieldDecl* field : record->fields()) {
      if (!handle_of(field->getType()).empty())
        handles_.insert({field->getCanonicalDecl(), handle_of(field->getType())});
      follow(field->getType());
    }
  }
  const std::map<const FieldDecl*, llvm::StringRef>& handles() const { return handles_; }

 private:
  std::set<const CXXRecordDecl*> seen_;
  std::map<const FieldDecl*, llvm::StringRef> handles_;
};

class Uses : public RecursiveASTVisitor<Uses> {
 public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitMemberExpr(MemberExpr* one) {
    if (const auto* field = dyn_cast<FieldDecl>(one->getMemberDecl()))
      used_.insert(field->getCanonicalDecl());
    return true;
  }
  const std::set<const FieldDecl*>& used() const { return used_; }

 private:
  std::set<const FieldDecl*> used_;
};

}  // namespace

void refuse_handles_in_memory(const ASTContext& context, const FunctionDecl& kernel,
                              std::vector<Diagnostic>& errors) {
  Members members;
  for (const ParmVarDecl* one : kernel.parameters()) {
    const QualType type = one->getType();
    if (handle_of(type.getNonReferenceType()).empty()) members.follow(type);
  }
  if (members.handles().empty()) return;
  Uses uses;
  for (Decl* one : context.getTranslationUnitDecl()->noload_decls())
    if (!one->isFromASTFile()) uses.TraverseDecl(one);
  for (const auto& [field, type] : members.handles()) {
    if (!uses.used().contains(field)) continue;
    errors.push_back(
        {place_of(*field),
         "assay: `" + field->getNameAsString() + "`: a `" + type.str() +
             "` in a struct in memory (an argument buffer) is not supported; make it a parameter "
             "of the kernel",
         {}});
  }
}

}  // namespace assay::metal
