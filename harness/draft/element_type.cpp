#include "harness/draft/element_type.hpp"

#include <algorithm>
#include <array>

namespace assay::draft {
namespace {

using Shape = device::MemoryShape;
using PartKind = Shape::Kind;

/// Longer arrays are no scalars that a launch passes.
constexpr std::size_t kMostElements = 4096;

struct Row {
  const char *tensor, *scalar;
  std::size_t bytes;
};
// From PartKind::uchar on. A manifest's tensors have no 64-bit types: such an element is two of `uint`.
constexpr std::array<Row, 12> kRows = {{{"uchar", "uchar", 1},
                                        {"char", "char", 1},
                                        {"ushort", "ushort", 2},
                                        {"short", "short", 2},
                                        {"uint", "uint", 4},
                                        {"int", "int", 4},
                                        {"uint", "ulong", 4},
                                        {"uint", "long", 4},
                                        {"float", "float", 4},
                                        {"half", "", 2},
                                        {"bfloat", "", 2},
                                        {"bool", "uchar", 1}}};

bool is_real(PartKind kind) {
  return kind == PartKind::float_ || kind == PartKind::half || kind == PartKind::bfloat;
}
bool is_half(PartKind kind) { return kind == PartKind::half || kind == PartKind::bfloat; }
bool is_wide(PartKind kind) { return kind == PartKind::ulong || kind == PartKind::long_; }

/// 1 as a half or a bfloat: of these a manifest passes the bits.
std::string bits_of_one(PartKind kind) { return kind == PartKind::half ? "15360" : "16256"; }

/// A number, or a vector of them; one of three takes the room of four unless it is packed.
ElementType element_of_numbers(const Shape& object) {
  const NumberType type = number_type(object.kind);
  ElementType found;
  found.type = type.tensor;
  found.type_bytes = type.bytes;
  found.wide = is_wide(object.kind);
  found.size = object.size;
  found.align = object.align;
  const std::size_t bytes = found.wide ? 8 : type.bytes;
  if (object.count > 1) found.inner.push_back(object.size / bytes);
  if (found.wide) found.inner.push_back(2);
  if (type.scalar.empty() || object.count > 4) return found;
  for (std::size_t i = 0; i < object.count; ++i) {
    const std::string name = object.count == 1 ? "" : std::string(1, "xyzw"[i]);
    found.scalars.push_back({name, type.scalar, !is_real(object.kind), i * bytes});
  }
  return found;
}

class Fields {
 public:
  /// False where something of it is not known.
  bool add(const Shape& part, const std::string& name, std::size_t offset) {
    if (part.is_scalar()) return add_numbers(part, name, offset);
    if (part.kind == PartKind::structure) {
      Fields inner;
      for (const Shape& member : part.parts)
        if (!inner.add(member, member.name, offset + member.offset)) return false;
      if (!inner.are_named()) return all.push_back({}), true;
      for (Scalar& field : inner.all) push(std::move(field), name, false);
      return true;
    }
    if (part.kind == PartKind::matrix) return all.push_back({}), true;  // none that a manifest passes
    if (part.kind != PartKind::array || part.count > kMostElements || part.parts.empty()) return false;
    for (std::size_t i = 0; i < part.count; ++i)
      if (!add(part.parts.front(), name + "_" + std::to_string(i), offset + i * part.parts.front().size))
        return false;
    return true;
  }

  /// One that is no scalar has no name: then nothing of the struct can be passed field by field.
  bool are_named() const {
    return std::none_of(all.begin(), all.end(), [](const Scalar& one) { return one.name.empty(); });
  }

  std::vector<Scalar> all;

 private:
  bool add_numbers(const Shape& part, const std::string& name, std::size_t offset) {
    const ElementType numbers = element_of_numbers(part);
    if (numbers.scalars.empty()) {  // none that a launch can pass by value, but perhaps one whose bits it can
      const bool half = part.count == 1 && is_half(part.kind);
      all.push_back({half ? name : "", "ushort", false, offset, half ? bits_of_one(part.kind) : ""});
    }
    for (Scalar field : numbers.scalars) {
      field.offset += offset;
      push(std::move(field), name, part.count > 1);
    }
    return true;
  }

  /// A field of a struct in a struct keeps its name, unless that is taken.
  void push(Scalar field, const std::string& name, bool vector) {
    const bool taken =
        std::any_of(all.begin(), all.end(), [&](const Scalar& other) { return other.name == field.name; });
    const bool own = !vector && !taken && field.name.size() > 1;
    field.name = field.name.empty() ? name : own ? field.name : name + "_" + field.name;
    all.push_back(std::move(field));
  }
};

}  // namespace

NumberType number_type(PartKind kind) {
  const Row& row = kRows.at(static_cast<std::size_t>(kind) - static_cast<std::size_t>(PartKind::uchar));
  return {row.tensor, row.scalar, row.bytes};
}

bool holds_pointers(const Shape& object) {
  return object.is_pointer() || std::any_of(object.parts.begin(), object.parts.end(), holds_pointers);
}

ElementType element_of(const Shape& object) {
  if (object.is_scalar()) return element_of_numbers(object);
  ElementType whole;
  whole.pointers = holds_pointers(object);
  if (whole.pointers || object.size == 0) return whole;
  if ((object.kind == PartKind::array || object.kind == PartKind::matrix) && !object.parts.empty()) {
    ElementType element = element_of(object.parts.front());
    element.inner.insert(element.inner.begin(), object.count);
    element.size = object.size;
    element.align = object.align;
    element.scalars.clear();
    return element;
  }
  if (object.kind != PartKind::structure) return whole;
  Fields fields;
  for (const Shape& member : object.parts)
    if (!fields.add(member, member.name, member.offset)) return whole;
  whole.type = "uchar";
  whole.type_bytes = 1;
  whole.size = object.size;
  whole.align = object.align;
  whole.inner = {object.size};
  if (fields.are_named()) whole.scalars = std::move(fields.all);
  return whole;
}

}  // namespace assay::draft
