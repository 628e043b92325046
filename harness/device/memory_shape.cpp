#include "harness/device/memory_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::device {
namespace {

constexpr std::size_t kMostPointers = 4096;

/// The pointers in a part that begins at `offset` and is called `path`. `wanted`: only the one there.
class Search {
 public:
  /// `arrow_behind`: a path that is a pointer's.
  Search(std::optional<std::size_t> wanted, std::string arrow_behind)
      : wanted_(wanted), arrow_behind_(std::move(arrow_behind)) {}

  void in(const MemoryShape& part, const std::string& path, std::size_t offset) {
    if (found_.size() >= kMostPointers || (wanted_ && !holds(offset, part.size))) return;
    if (part.is_pointer()) {
      if (!wanted_ || offset == *wanted_) found_.push_back({path, offset, &part});
    } else if (part.kind == MemoryShape::Kind::array && !part.parts.empty()) {
      elements(part, path, offset);
    } else if (part.kind == MemoryShape::Kind::structure) {
      for (const MemoryShape& member : part.parts)
        in(member, path + (path == arrow_behind_ ? "->" : ".") + member.name, offset + member.offset);
    }
  }

  std::vector<PlacedPointer> found() { return std::move(found_); }

 private:
  bool holds(std::size_t offset, std::size_t size) const {
    return *wanted_ >= offset && *wanted_ - offset < size;
  }

  void elements(const MemoryShape& array, const std::string& path, std::size_t offset) {
    const MemoryShape& element = array.parts.front();
    if (element.size == 0 || !may_point(element)) return;
    std::size_t i = wanted_ ? (*wanted_ - offset) / element.size : 0;
    const std::size_t end = wanted_ ? std::min(i + 1, array.count) : array.count;
    for (; i < end && found_.size() < kMostPointers; ++i)
      in(element, fmt::format("{}[{}]", path, i), offset + i * element.size);
  }

  // So that long arrays of numbers are not walked through.
  static bool may_point(const MemoryShape& part) {
    return part.is_pointer() || std::any_of(part.parts.begin(), part.parts.end(), may_point);
  }

  std::optional<std::size_t> wanted_;
  std::string arrow_behind_;
  std::vector<PlacedPointer> found_;
};

}  // namespace

std::optional<PlacedPointer> pointer_at(const MemoryShape& leads, const std::string& name,
                                        std::size_t size_bytes, std::size_t offset) {
  if (!leads.is_pointer() || leads.parts.empty() || leads.parts.front().size == 0) return std::nullopt;
  const MemoryShape& object = leads.parts.front();
  const std::size_t index = leads.single ? 0 : offset / object.size;
  const bool one = leads.single || size_bytes < 2 * object.size;
  const std::string path = one && !object.is_pointer() ? name : fmt::format("{}[{}]", name, index);
  Search search(offset, leads.single ? "" : name);
  search.in(object, path, index * object.size);
  auto found = search.found();
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<PlacedPointer> pointers_behind(const MemoryShape& leads, const std::string& name) {
  if (!leads.is_pointer() || leads.parts.empty()) return {};
  Search search(std::nullopt, leads.single ? "" : name);
  const MemoryShape& object = leads.parts.front();
  search.in(object, object.is_pointer() ? name + "[0]" : name, 0);
  return search.found();
}

}  // namespace assay::device
