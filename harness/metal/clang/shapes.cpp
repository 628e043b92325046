#include "harness/metal/clang/shapes.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>

#include <map>
#include <set>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

constexpr unsigned kMostParts = 4000, kMostPointers = 3;

/// A template of the library's, as `vec<float, 4>`.
const ClassTemplateSpecializationDecl* library_template(QualType type) {
  const auto* const made = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  return made == nullptr || library_name(type).empty() ? nullptr : made;
}

QualType type_argument(const ClassTemplateSpecializationDecl& made, unsigned i) {
  return made.getTemplateArgs()[i].getAsType();
}
std::uint64_t number_argument(const ClassTemplateSpecializationDecl& made, unsigned i) {
  return made.getTemplateArgs()[i].getAsIntegral().getZExtValue();
}

bool is_matrix(QualType type) {
  const auto* const made = library_template(type);
  return made != nullptr && made->getName() == "matrix";
}

struct Scalar {
  const char* kind = nullptr;  ///< none
  std::uint64_t components = 1;
};

Scalar scalar_of(const ASTContext& context, QualType type) {
  if (const auto* made = library_template(type)) {
    const auto name = made->getName();
    if (name == "_atomic") return scalar_of(context, type_argument(*made, 0));
    if (name == "vec" || name == "packed_vec")
      return {scalar_of(context, type_argument(*made, 0)).kind, number_argument(*made, 1)};
    return {};
  }
  if (const auto* record = type->getAsCXXRecordDecl())
    return {record->getName() == "bfloat" ? "part_bfloat" : nullptr};
  if (const auto* enumeration = type->getAs<EnumType>())
    return scalar_of(context, enumeration->getDecl()->getIntegerType());
  if (type->isBooleanType()) return {"part_bool"};
  if (type->isHalfType() || type->isFloat16Type()) return {"part_half"};
  if (type->isBFloat16Type()) return {"part_bfloat"};
  if (type->isSpecificBuiltinType(BuiltinType::Float)) return {"part_float"};
  if (!type->isIntegerType()) return {};
  const bool is_signed = type->isSignedIntegerType();
  switch (context.getTypeSize(type)) {
    case 8:
      return {is_signed ? "part_char" : "part_uchar"};
    case 16:
      return {is_signed ? "part_short" : "part_ushort"};
    case 32:
      return {is_signed ? "part_int" : "part_uint"};
    case 64:
      return {is_signed ? "part_long" : "part_ulong"};
    default:
      return {};
  }
}

/// A struct of nothing but data with names.
const CXXRecordDecl* plain_struct(QualType type) {
  const auto* const record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->isStruct() || !record->hasDefinition() || record->getNumBases() != 0 ||
      record->field_empty())
    return nullptr;
  for (const FieldDecl* field : record->fields()) {
    if (field->isBitField() || field->getName().empty() || field->getAccess() != AS_public) return nullptr;
  }
  return record;
}

class Describer {
 public:
  Describer(const ASTContext& context, std::vector<Diagnostic>& errors)
      : context_(context), errors_(errors) {}

  std::string rows(QualType parameter) {
    describe(parameter, {});
    rows_ += "{nullptr, 0, assay_entry::part_end, 0, 0, 1, 0, 0, 0, 0}";
    return rows_;
  }

 private:
  // Where a part is in the tree, and in how many pointers.
  struct At {
    std::string name = {};
    unsigned depth = 0, pointers = 0;
    std::uint64_t offset = 0;
    bool constant = false;
  };

  void row(const At& at, const char* kind, std::uint64_t size, std::uint64_t align, std::uint64_t count,
           bool read_only = false, bool single = false, bool constant = false) {
    ++parts_;
    for (const std::string& word :
         {"{\"" + at.name + "\"", std::to_string(at.depth), std::string("assay_entry::") + kind,
          std::to_string(at.offset), std::to_string(size), std::to_string(align), std::to_string(count),
          std::to_string(read_only), std::to_string(single), std::to_string(constant)})
      rows_ += (rows_.empty() || rows_.ends_with('\n') ? "" : ", ") + word;
    rows_ += "},\n";
  }

  std::uint64_t size_of(QualType type) const {
    if (type->isIncompleteType() || type->isFunctionType()) return 0;
    return static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
  }
  std::uint64_t align_of(QualType type) const {
    return size_of(type) == 0 ? 1
                              : static_cast<std::uint64_t>(context_.getTypeAlignInChars(type).getQuantity());
  }

  void describe(QualType type, const At& at) {
    if (parts_ >= kMostParts) return;
    type = type.getCanonicalType();
    const bool single = type->isReferenceType();
    if (type->isPointerType() || single) {
      const QualType to = type->getPointeeType();
      row(at, "part_pointer", 8, 8, 1, to.isConstQualified(), single, at.constant);
      if (at.pointers < kMostPointers) describe(to, {"", at.depth + 1, at.pointers + 1});
      return;
    }
    type = type.getUnqualifiedType();
    if (const auto* array = context_.getAsConstantArrayType(type))
      return described_array(array->getElementType(), array->getSize().getZExtValue(), "part_array", at);
    if (const auto* made = library_template(type)) {
      if (made->getName() == "array")
        return described_array(type_argument(*made, 0), std::max<std::uint64_t>(1, number_argument(*made, 1)),
                               "part_array", at);
      if (made->getName() == "matrix" && !made->field_empty())
        return described_array(context_.getAsArrayType(made->field_begin()->getType())->getElementType(),
                               number_argument(*made, 1), "part_matrix", at);
    }
    const Scalar scalar = scalar_of(context_, type);
    const CXXRecordDecl* const members =
        scalar.kind == nullptr && library_template(type) == nullptr ? plain_struct(type) : nullptr;
    const char* const kind = members != nullptr       ? "part_structure"
                             : scalar.kind != nullptr ? scalar.kind
                                                      : "part_unknown";
    row(at, kind, size_of(type), align_of(type), scalar.components);
    if (members != nullptr) describe_members(*members, at);
  }

  void described_array(QualType element, std::uint64_t count, const char* kind, const At& at) {
    row(at, kind, size_of(element) * count, align_of(element), count);
    describe(element, {"", at.depth + 1, at.pointers, 0, at.constant});
  }

  void describe_members(const CXXRecordDecl& record, const At& at) {
    refuse_taken_ids(record);
    const ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
    for (const FieldDecl* field : record.fields()) {
      describe(field->getType(), {field->getNameAsString(), at.depth + 1, at.pointers,
                                  layout.getFieldOffset(field->getFieldIndex()) / 8,
                                  annotation_of(*field, "constant") != nullptr});
    }
  }

  void refuse_taken_ids(const CXXRecordDecl& record) {
    if (!looked_at_.insert(&record).second) return;
    std::map<std::int64_t, const FieldDecl*> taken;
    for (const FieldDecl* field : record.fields()) {
      const AnnotateAttr* const id = annotation_of(*field, "id");
      const auto number = id == nullptr ? std::nullopt : number_of(*id, context_);
      if (!number) continue;
      const auto [known, fresh] = taken.emplace(*number, field);
      if (fresh) continue;
      errors_.push_back({place_of(*field),
                         "`" + field->getNameAsString() + "`: [[id(" + std::to_string(*number) +
                             ")]] is taken by `" + known->second->getNameAsString() + "`",
                         {}});
    }
  }

  const ASTContext& context_;
  std::vector<Diagnostic>& errors_;
  std::set<const CXXRecordDecl*> looked_at_;
  std::string rows_;
  unsigned parts_ = 0;
};

bool leads_to_parts(const ASTContext& context, QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto* array = context.getAsArrayType(type))
    return leads_to_parts(context, array->getElementType());
  if (type->isPointerType() || type->isReferenceType() || is_matrix(type)) return true;
  if (const auto* made = library_template(type)) {
    return made->getName() == "array" && leads_to_parts(context, type_argument(*made, 0));
  }
  return scalar_of(context, type).kind == nullptr && type->getAsCXXRecordDecl() != nullptr;
}

}  // namespace

llvm::StringRef library_name(QualType type) {
  const auto* const record = type->getAsCXXRecordDecl();
  const auto* const scope =
      record == nullptr ? nullptr
                        : dyn_cast<NamespaceDecl>(record->getDeclContext()->getEnclosingNamespaceContext());
  return scope != nullptr && scope->getName() == "assay_msl" ? record->getName() : "";
}

std::uint64_t components_of(QualType type) {
  type = type.getNonReferenceType();
  if (type->isIntegerType()) return 1;
  return library_name(type) == "vec" ? number_argument(*library_template(type), 1) : 0;
}

bool leads_to_parts(const ASTContext& context, const FunctionDecl& kernel) {
  for (const ParmVarDecl* parameter : kernel.parameters()) {
    const QualType type = parameter->getType().getCanonicalType();
    const bool memory = type->isPointerType() || type->isReferenceType();
    if (memory && leads_to_parts(context, type->getPointeeType())) return true;
  }
  return false;
}

std::string shape_rows(const ASTContext& context, QualType parameter, std::vector<Diagnostic>& errors) {
  return Describer(context, errors).rows(parameter);
}

}  // namespace assay::metal
