// The pointers that a manifest entry binds against those of the kernel's text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/verify/binding.hpp"
#include "harness/verify/packing.hpp"

namespace assay {
namespace {

class PointerCheck {
 public:
  PointerCheck(const KernelEntry& entry, const ArgumentNames& names)
      : entry_(entry), names_(names), arguments_(resolve_arguments(entry, names)) {}

  void run(const KernelInterface& kernel) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (const auto* tensor = std::get_if<TensorArgument>(&arguments_[i])) writable_.insert(tensor->tensor);
      const auto parameter =
          std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                       [&](const auto& one) { return !one.threadgroup && one.index == i; });
      if (parameter == kernel.parameters.end()) continue;
      const auto* packed = std::get_if<PackedArgument>(&arguments_[i]);
      check(entry_.argument_field(i), packed, parameter->shape, parameter->name);
    }
    for (const auto& texture : entry_.textures) {
      if (texture) writable_.insert(texture->tensor);  // interface.cpp says where it is not
    }
    for (const auto& [output, place] : read_only_) {
      if (!writable_.contains(output))
        throw entry_.error(place.where + ".pointer",
                           fmt::format("{} is an output, and `{}` can only be read", output, place.path));
    }
  }

 private:
  struct ReadOnly {
    std::string where, path;
  };

  static std::string list(const std::vector<device::PlacedPointer>& pointers) {
    std::vector<std::string> all;
    all.reserve(pointers.size());
    for (const auto& one : pointers) all.push_back(fmt::format("{} at {}", one.path, one.offset));
    if (all.size() > 8) {
      all.resize(8);
      all.emplace_back("...");
    }
    return all.empty() ? "it has none" : fmt::format("it has {}", fmt::join(all, ", "));
  }

  /// `packed`: null where something else is bound.
  void check(const std::string& field, const PackedArgument* packed, const device::MemoryShape& shape,
             const std::string& name) {
    const auto expected = device::pointers_behind(shape, name);
    const PointerLayout layout = packed != nullptr ? pointer_layout(entry_, *packed) : PointerLayout{};
    if (!shape.is_pointer() || shape.parts.empty() ||
        shape.parts.front().kind == device::MemoryShape::Kind::unknown) {
      for (const auto& pointer : layout.pointers) follow(*pointer.field, nullptr, name);
      return;
    }
    if (!expected.empty() && packed == nullptr)
      throw entry_.error(field,
                         fmt::format("`{}` holds pointers ({}); write {{ buffer = [{{ pointer = \"...\" "
                                     "}}, ...] }} with its members in order",
                                     name, list(expected).substr(std::string_view("it has ").size())));
    const std::size_t object = shape.parts.front().size, end = layout.end.value_or(0);
    const std::size_t size = std::max(end, object);
    std::set<std::size_t> bound;
    for (const auto& pointer : layout.pointers) {
      const auto found = device::pointer_at(shape, name, size, pointer.at);
      if (!found)
        throw entry_.error(pointer.field->where, fmt::format("`{}` has no pointer at byte {}; {}", name,
                                                             pointer.at, list(expected)));
      bound.insert(pointer.at);
      follow(*pointer.field, found->pointer, found->path);
    }
    for (std::size_t at = 0; layout.end && object != 0 && (at == 0 || at < end); at += object) {
      for (const auto& one : expected) {
        if (bound.contains(at + one.offset)) continue;
        const auto placed = device::pointer_at(shape, name, size, at + one.offset);
        if (placed)
          throw entry_.error(field,
                             fmt::format("the pointer `{}` at byte {} has nothing bound to it; write {{ "
                                         "pointer = \"...\" }} there, or \"-\" if it is not used",
                                         placed->path, placed->offset));
      }
    }
  }

  void follow(const PackedField& field, const device::MemoryShape* pointer, const std::string& path) {
    const ArgumentEntry& pointee = field.pointee->argument;
    const bool unbound = std::holds_alternative<UnboundArgument>(pointee);
    if (pointer != nullptr && !unbound)
      check(field.where + ".pointer", std::get_if<PackedArgument>(&pointee), *pointer, path);
    const std::string tensor = tensor_behind(field);
    const auto& outputs = names_.outputs;
    if (tensor.empty() || std::find(outputs.begin(), outputs.end(), tensor) == outputs.end()) return;
    if (pointer != nullptr && pointer->read_only) {
      read_only_.emplace(tensor, ReadOnly{field.where, path});
    } else {
      writable_.insert(tensor);
    }
  }

  const KernelEntry& entry_;
  const ArgumentNames& names_;
  const std::vector<ResolvedArgument> arguments_;
  std::set<std::string> writable_;
  std::map<std::string, ReadOnly> read_only_;
};

}  // namespace

void check_pointers(const KernelEntry& entry, const KernelInterface& kernel, const ArgumentNames& names) {
  PointerCheck(entry, names).run(kernel);
}

}  // namespace assay
