#include "harness/metal/clang/members.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecordLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::metal {
namespace {

using namespace clang;

void mark(const ASTContext& context, QualType type, std::uint64_t at, std::vector<bool>& written);

void mark_record(const ASTContext& context, const RecordDecl& record, std::uint64_t at,
                 std::vector<bool>& written) {
  const ASTRecordLayout& layout = context.getASTRecordLayout(&record);
  if (const auto* derived = dyn_cast<CXXRecordDecl>(&record)) {
    for (const CXXBaseSpecifier& base : derived->bases()) {
      const auto* const one = base.getType()->getAsCXXRecordDecl();
      const auto offset = static_cast<std::uint64_t>(layout.getBaseClassOffset(one).getQuantity());
      if (!one->isEmpty()) mark_record(context, *one, at + offset, written);
    }
  }
  for (const FieldDecl* field : record.fields()) {
    const std::uint64_t bit = layout.getFieldOffset(field->getFieldIndex());
    if (!field->isBitField()) {
      mark(context, field->getType(), at + bit / 8, written);
      continue;
    }
    const std::uint64_t end = bit + field->getBitWidthValue(context);
    for (std::uint64_t byte = bit / 8; byte < (end + 7) / 8 && at + byte < written.size(); ++byte)
      written[at + byte] = true;
  }
}

void mark(const ASTContext& context, QualType type, std::uint64_t at, std::vector<bool>& written) {
  if (const auto* array = context.getAsConstantArrayType(type)) {
    const auto stride =
        static_cast<std::uint64_t>(context.getTypeSizeInChars(array->getElementType()).getQuantity());
    for (std::uint64_t i = 0; i < array->getSize().getZExtValue() && at + i * stride < written.size(); ++i)
      mark(context, array->getElementType(), at + i * stride, written);
  } else if (const auto* record = type->getAsRecordDecl()) {
    mark_record(context, *record, at, written);
  } else {
    const auto size = static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
    for (std::uint64_t i = at; i < at + size && i < written.size(); ++i) written[i] = true;
  }
}

ByteRuns members_of(const ASTContext& context, QualType type) {
  std::vector<bool> written(static_cast<std::size_t>(context.getTypeSizeInChars(type).getQuantity()));
  mark(context, type, 0, written);
  ByteRuns runs;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!written[i]) continue;
    if (runs.empty() || runs.back().first + runs.back().second != i) runs.emplace_back(i, 0);
    ++runs.back().second;
  }
  return runs;
}

template <class Kind>
Kind* member_named(const ASTContext& context, DeclContext& scope, const char* name) {
  for (NamedDecl* one : scope.lookup(&context.Idents.get(name)))
    if (auto* found = dyn_cast<Kind>(one)) return found;
  return nullptr;
}

class MembersReader : public ASTConsumer {
 public:
  explicit MembersReader(CopiedMembers& copied) : copied_(copied) {}

  void HandleTranslationUnit(ASTContext& context) override {
    auto* const library =
        member_named<NamespaceDecl>(context, *context.getTranslationUnitDecl(), "assay_msl");
    auto* const copy =
        library == nullptr ? nullptr : member_named<FunctionTemplateDecl>(context, *library, "copy_object");
    if (copy == nullptr) return;
    const std::unique_ptr<MangleContext> names(context.createMangleContext());
    for (FunctionDecl* instance : copy->specializations()) {
      const QualType type = instance->getTemplateSpecializationArgs()->get(0).getAsType();
      if (type->isDependentType() || type->isIncompleteType()) continue;
      std::string name;
      llvm::raw_string_ostream out(name);
      names->mangleName(GlobalDecl(instance), out);
      copied_[out.str()] = members_of(context, type);
    }
  }

 private:
  CopiedMembers& copied_;
};

}  // namespace

std::unique_ptr<ASTConsumer> members_reader(CopiedMembers& copied) {
  return std::make_unique<MembersReader>(copied);
}

void copy_members_alone(llvm::Module& module, const CopiedMembers& copied) {
  for (const auto& [name, runs] : copied) {
    llvm::Function* const function = module.getFunction(name);
    if (function == nullptr) continue;
    for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::instructions(*function))) {
      auto* const whole = llvm::dyn_cast<llvm::MemCpyInst>(&one);
      if (whole == nullptr) continue;
      llvm::IRBuilder<> b(whole);
      const auto from = whole->getSourceAlign().valueOrOne(), to = whole->getDestAlign().valueOrOne();
      for (const auto& [offset, bytes] : runs) {
        b.CreateMemCpy(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), whole->getRawDest(), offset),
                       llvm::commonAlignment(to, offset),
                       b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), whole->getRawSource(), offset),
                       llvm::commonAlignment(from, offset), bytes);
      }
      whole->eraseFromParent();
    }
  }
}

}  // namespace assay::metal
