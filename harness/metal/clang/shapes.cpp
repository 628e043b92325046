#include "harness/metal/clang/shapes.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>

#include <algorithm>
#include <limits>
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

using Shape = device::MemoryShape;
using Kind = Shape::Kind;

struct Scalar {
  Kind kind = Kind::unknown;
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
    return {record->getName() == "bfloat" ? Kind::bfloat : Kind::unknown};
  if (const auto* enumeration = type->getAs<EnumType>())
    return scalar_of(context, enumeration->getDecl()->getIntegerType());
  if (type->isBooleanType()) return {Kind::bool_};
  if (type->isHalfType() || type->isFloat16Type()) return {Kind::half};
  if (type->isBFloat16Type()) return {Kind::bfloat};
  if (type->isSpecificBuiltinType(BuiltinType::Float)) return {Kind::float_};
  if (!type->isIntegerType()) return {};
  const bool is_signed = type->isSignedIntegerType();
  switch (context.getTypeSize(type)) {
    case 8:
      return {is_signed ? Kind::char_ : Kind::uchar};
    case 16:
      return {is_signed ? Kind::short_ : Kind::ushort};
    case 32:
      return {is_signed ? Kind::int_ : Kind::uint};
    case 64:
      return {is_signed ? Kind::long_ : Kind::ulong};
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
  /// `errors`: null where nothing is said.
  Describer(const ASTContext& context, std::vector<Diagnostic>* errors)
      : context_(context), errors_(errors) {}

  Shape describe(QualType type) { return described(type, {}, 0); }

 private:
  std::uint64_t size_of(QualType type) const {
    if (type->isIncompleteType() || type->isFunctionType()) return 0;
    return static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
  }
  std::uint64_t align_of(QualType type) const {
    return size_of(type) == 0 ? 1
                              : static_cast<std::uint64_t>(context_.getTypeAlignInChars(type).getQuantity());
  }

  /// `shape`: where it lies. `pointers`: in how many.
  Shape described(QualType type, Shape shape, unsigned pointers) {
    ++parts_;
    type = type.getCanonicalType();
    shape.single = type->isReferenceType();
    if (type->isPointerType() || shape.single) {
      const QualType to = type->getPointeeType();
      shape.kind = Kind::pointer;
      shape.size = shape.align = 8;
      shape.read_only = to.isConstQualified();
      if (pointers < kMostPointers) add(shape, to, {}, pointers + 1);
      return shape;
    }
    shape.constant = false;
    type = type.getUnqualifiedType();
    if (const auto* array = context_.getAsConstantArrayType(type))
      return array_of(shape, Kind::array, array->getElementType(), array->getSize().getZExtValue(), pointers);
    if (const auto* made = library_template(type)) {
      if (made->getName() == "array")
        return array_of(shape, Kind::array, type_argument(*made, 0),
                        std::max<std::uint64_t>(1, number_argument(*made, 1)), pointers);
      if (made->getName() == "matrix" && !made->field_empty())
        return array_of(shape, Kind::matrix,
                        context_.getAsArrayType(made->field_begin()->getType())->getElementType(),
                        number_argument(*made, 1), pointers);
    }
    const Scalar scalar = scalar_of(context_, type);
    const CXXRecordDecl* const members =
        scalar.kind == Kind::unknown && library_template(type) == nullptr ? plain_struct(type) : nullptr;
    shape.kind = members != nullptr ? Kind::structure : scalar.kind;
    shape.size = size_of(type);
    shape.align = align_of(type);
    shape.count = scalar.components;
    if (members != nullptr) describe_members(*members, shape, pointers);
    return shape;
  }

  void add(Shape& whole, QualType type, Shape part, unsigned pointers) {
    if (parts_ < kMostParts) whole.parts.push_back(described(type, std::move(part), pointers));
  }

  Shape array_of(Shape shape, Kind kind, QualType element, std::uint64_t count, unsigned pointers) {
    shape.kind = kind;
    shape.size = size_of(element) * count;
    shape.align = align_of(element);
    shape.count = count;
    Shape part;
    part.constant = shape.constant;
    add(shape, element, part, pointers);
    return shape;
  }

  void describe_members(const CXXRecordDecl& record, Shape& shape, unsigned pointers) {
    refuse_taken_ids(record);
    const ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
    for (const FieldDecl* field : record.fields()) {
      Shape part;
      part.name = field->getNameAsString();
      part.offset = layout.getFieldOffset(field->getFieldIndex()) / 8;
      part.constant = annotation_of(*field, "constant") != nullptr;
      add(shape, field->getType(), part, pointers);
    }
  }

  void refuse_taken_ids(const CXXRecordDecl& record) {
    if (errors_ == nullptr || !looked_at_.insert(&record).second) return;
    std::map<std::int64_t, const FieldDecl*> taken;
    for (const FieldDecl* field : record.fields()) {
      const AnnotateAttr* const id = annotation_of(*field, "id");
      const auto number = id == nullptr ? std::nullopt : number_of(*id, context_);
      if (!number) continue;
      const auto [known, fresh] = taken.emplace(*number, field);
      if (fresh) continue;
      errors_->push_back({place_of(*field),
                          "`" + field->getNameAsString() + "`: [[id(" + std::to_string(*number) +
                              ")]] is taken by `" + known->second->getNameAsString() + "`",
                          {}});
    }
  }

  const ASTContext& context_;
  std::vector<Diagnostic>* const errors_;
  std::set<const CXXRecordDecl*> looked_at_;
  unsigned parts_ = 0;
};

void write_row(const Shape& shape, unsigned depth, std::string& rows) {
  // What is beyond the records' 32 bits is beyond all that a launch fills in.
  const auto number = [](std::uint64_t value) {
    return ", " + std::to_string(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
  };
  rows += "{\"" + shape.name + "\"" + number(depth) + ", assay_entry::part_kind(" +
          std::to_string(static_cast<unsigned>(shape.kind)) + ")" + number(shape.offset) +
          number(shape.size) + number(shape.align) + number(shape.count) + number(shape.read_only) +
          number(shape.single) + number(shape.constant) + "},\n";
  for (const Shape& part : shape.parts) write_row(part, depth + 1, rows);
}

bool leads_to_parts(const ASTContext& context, QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto* array = context.getAsArrayType(type))
    return leads_to_parts(context, array->getElementType());
  if (type->isPointerType() || type->isReferenceType() || is_matrix(type)) return true;
  if (const auto* made = library_template(type)) {
    return made->getName() == "array" && leads_to_parts(context, type_argument(*made, 0));
  }
  return scalar_of(context, type).kind == Kind::unknown && type->getAsCXXRecordDecl() != nullptr;
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

device::MemoryShape shape_of(const ASTContext& context, QualType type) {
  return Describer(context, nullptr).describe(type);
}

std::optional<QualType> element_of_open_array(const ASTContext& context, QualType type) {
  const CXXRecordDecl* const record = plain_struct(type.getCanonicalType());
  if (record == nullptr || std::distance(record->field_begin(), record->field_end()) != 1)
    return std::nullopt;
  const auto* const array = context.getAsArrayType(record->field_begin()->getType());
  if (array == nullptr) return std::nullopt;
  const auto* const counted = dyn_cast<ConstantArrayType>(array);
  if (counted != nullptr ? counted->getSize() != 1 : !isa<IncompleteArrayType>(array)) return std::nullopt;
  return array->getElementType();
}

std::string shape_rows(const ASTContext& context, QualType parameter, std::vector<Diagnostic>& errors) {
  std::string rows;
  write_row(Describer(context, &errors).describe(parameter), 0, rows);
  return rows + "{nullptr, 0, assay_entry::part_end, 0, 0, 1, 0, 0, 0, 0}";
}

}  // namespace assay::metal
