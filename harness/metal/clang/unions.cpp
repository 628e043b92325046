#include "harness/metal/clang/unions.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <set>
#include <string>

#include "harness/metal/clang/shapes.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class UnionsVisitor : public RecursiveASTVisitor<UnionsVisitor> {
 public:
  UnionsVisitor(const ASTContext& context, Edits& edits)
      : sources_(context.getSourceManager()), edits_(edits) {}

  // Those of templates are found in their instances, which stand where the template does.
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitCXXRecordDecl(CXXRecordDecl* record) {
    if (!record->isThisDeclarationADefinition() || record->isDependentContext() ||
        record->isAnonymousStructOrUnion() || record->isLambda() ||
        !library_name(QualType(record->getTypeForDecl(), 0)).empty() || writes_its_own(*record) ||
        !holds_union_of_vectors(*record) || holds_others_own(*record) ||
        !done_.insert(record->getBraceRange().getBegin()).second)
      return true;
    assign(*record);
    return true;
  }

 private:
  static bool writes_its_own(const CXXRecordDecl& record) { return record.hasUserDeclaredCopyAssignment(); }

  static const CXXRecordDecl* type_of(const FieldDecl& field) {
    const CXXRecordDecl* const type = field.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return type == nullptr ? nullptr : type->getDefinition();
  }

  // Is the assignment of one of its members written out in C++?
  static bool holds_vectors(const CXXRecordDecl& record) {
    for (const FieldDecl* field : record.fields()) {
      const CXXRecordDecl* const type = type_of(*field);
      if (type != nullptr && type->hasNonTrivialCopyAssignment()) return true;
    }
    return false;
  }
  // Itself, or one whose members are its own.
  static bool holds_union_of_vectors(const CXXRecordDecl& record) {
    if (record.isUnion()) return holds_vectors(record);
    for (const FieldDecl* field : record.fields()) {
      const CXXRecordDecl* const type = type_of(*field);
      if (field->isAnonymousStructOrUnion() && type != nullptr && holds_union_of_vectors(*type)) return true;
    }
    return false;
  }
  // A copy of bytes would leave out what the text writes for a member.
  static bool holds_others_own(const CXXRecordDecl& record) {
    for (const FieldDecl* field : record.fields()) {
      const CXXRecordDecl* const type = type_of(*field);
      if (type == nullptr || !library_name(QualType(type->getTypeForDecl(), 0)).empty()) continue;
      if (writes_its_own(*type) || (field->isAnonymousStructOrUnion() && holds_others_own(*type)))
        return true;
    }
    return false;
  }

  void assign(const CXXRecordDecl& record) {
    const auto [file, open] = sources_.getDecomposedLoc(record.getBraceRange().getBegin());
    if (file != sources_.getMainFileID()) return;
    std::string name = record.getNameAsString();
    if (name.empty()) {
      const TypedefNameDecl* const alias = record.getTypedefNameForAnonDecl();
      name = alias == nullptr ? "assay_unnamed_" + std::to_string(open) : alias->getNameAsString();
      edits_.insert(record.getNumBases() == 0 ? open : behind_key(record), " " + name + " ");
    }
    const std::string assignment = "assay_assignment(" + name + ")";
    edits_.insert(open + 1, record.isClass() ? "public: " + assignment + " private: " : assignment);
  }
  // `struct : Base {`
  unsigned behind_key(const CXXRecordDecl& record) const {
    const auto [file, colon] = sources_.getDecomposedLoc(record.getLocation());
    const auto text = sources_.getBufferData(file);
    return static_cast<unsigned>(std::min(text.find(':', colon), text.size()));
  }

  const SourceManager& sources_;
  Edits& edits_;
  std::set<SourceLocation> done_;
};

}  // namespace

void assign_unions(const ASTContext& context, Edits& edits) {
  UnionsVisitor visitor(context, edits);
  for (Decl* one : context.getTranslationUnitDecl()->noload_decls())
    if (!one->isFromASTFile()) visitor.TraverseDecl(one);
}

}  // namespace assay::metal
