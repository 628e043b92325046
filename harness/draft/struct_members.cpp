#include "harness/draft/struct_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <string_view>

namespace assay::draft {
namespace {

using Part = device::MemoryShape;
using PartKind = Part::Kind;

/// Longer arrays of numbers are no sizes.
constexpr std::size_t kMostElements = 16;
/// A text may have any number of them.
constexpr std::size_t kMostMembers = 512;

/// A struct that a launch passes by value, behind a pointer: what has pointers of its own, sizes in constant
/// memory, one value by reference. Everything else is an array.
bool is_block(const Part& pointer) {
  if (pointer.parts.empty() || pointer.parts.front().size == 0) return false;
  const Part& object = pointer.parts.front();
  if (holds_pointers(object)) return true;
  const bool by_value = pointer.read_only && (pointer.single || pointer.constant);
  return by_value && (object.kind == PartKind::structure || (pointer.single && object.is_scalar()));
}

std::vector<StructMember> members_of(const Part& pointer, const std::string& path, std::size_t& left);

class MemberList {
 public:
  /// `arrow_behind`: a path that is a pointer's, as reports write it. `left`: so many members may there still
  /// be, of all structs.
  MemberList(std::string arrow_behind, std::size_t& left)
      : arrow_behind_(std::move(arrow_behind)), left_(left) {}

  void add(const Part& part, const std::string& path, std::size_t offset) {
    if (part.is_pointer()) {
      pointer(part, path, offset);
    } else if (part.is_scalar() && !number_type(part.kind).scalar.empty() && part.count <= 4) {
      scalars(part, path, offset);
    } else if (part.kind == PartKind::structure) {
      for (const Part& member : part.parts)
        add(member, path + (path == arrow_behind_ ? "->" : ".") + member.name, offset + member.offset);
    } else if (part.kind == PartKind::array && (part.count <= kMostElements || holds_pointers(part))) {
      const Part& element = part.parts.front();
      for (std::size_t i = 0; i < part.count; ++i)
        add(element, fmt::format("{}[{}]", path, i), offset + i * element.size);
    } else {
      push({StructMember::Kind::filler, path, offset, part.size});
    }
  }

  std::vector<StructMember> all;

 private:
  void push(StructMember member) {
    if (left_-- == 0)
      throw std::invalid_argument(
          fmt::format("`{}` is one of more than {} members that a launch has to fill in; write a manifest",
                      member.path, kMostMembers));
    all.push_back(std::move(member));
  }

  std::string arrow_behind_;
  std::size_t& left_;

  void pointer(const Part& part, const std::string& path, std::size_t offset) {
    StructMember member{StructMember::Kind::buffer, path, offset, part.size};
    member.writable = !part.read_only;
    if (is_block(part)) {
      member.kind = StructMember::Kind::block;
      member.members = members_of(part, path, left_);
      member.block_size = part.parts.front().size;
    } else if (!part.parts.empty()) {
      member.element = element_of(part.parts.front());
    }
    push(std::move(member));
  }

  void scalars(const Part& part, const std::string& path, std::size_t offset) {
    constexpr std::array<const char*, 4> kComponents = {"_x", "_y", "_z", "_w"};
    const NumberType type = number_type(part.kind);
    const std::size_t size = type.scalar == "ulong" || type.scalar == "long" ? 8 : type.bytes;
    for (std::size_t i = 0; i < part.count; ++i) {
      StructMember member{StructMember::Kind::scalar, path + (part.count > 1 ? kComponents[i] : ""),
                          offset + i * size, size};
      member.scalar = {"", type.scalar, type.scalar != "float"};
      push(std::move(member));
    }
  }
};

std::vector<StructMember> members_of(const Part& pointer, const std::string& path, std::size_t& left) {
  if (!pointer.is_pointer() || pointer.parts.empty()) return {};
  MemberList members(pointer.single ? "" : path, left);
  const Part& object = pointer.parts.front();
  members.add(object, object.is_pointer() ? path + "[0]" : path, 0);
  return std::move(members.all);
}

}  // namespace

std::vector<StructMember> members_behind(const device::MemoryShape& pointer, const std::string& path) {
  std::size_t left = kMostMembers;
  return members_of(pointer, path, left);
}

std::string name_of_member(const std::string& path, bool whole) {
  const auto dot = path.find_last_of(".>");
  const std::string_view part = std::string_view(path).substr(whole || dot == path.npos ? 0 : dot + 1);
  std::string name;
  for (const char c : part) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (word) name += c;
    if (c == '.' || c == '[' || c == '>') name += '_';
  }
  return name;
}

}  // namespace assay::draft
