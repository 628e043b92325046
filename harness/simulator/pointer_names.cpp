#include "harness/simulator/pointer_names.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace assay::simulator {
namespace {

/// Memory whose contents the text describes.
struct Described {
  device::BufferSlice memory;
  const device::MemoryShape* leads = nullptr;
  std::string name;
};

}  // namespace

std::vector<std::string> names_of_pointers(const device::Dispatch& dispatch,
                                           const metal::KernelModule& module) {
  std::vector<std::string> names(dispatch.pointers.size());
  std::vector<Described> known;
  for (const auto& parameter : module.parameters()) {
    const auto index = static_cast<std::size_t>(parameter.index);
    if (parameter.threadgroup || !parameter.shape.is_pointer() || index >= dispatch.arguments.size())
      continue;
    if (const auto* slice = std::get_if<device::BufferSlice>(&dispatch.arguments[index]))
      known.push_back({*slice, &parameter.shape, parameter.name});
  }
  // What a pointer leads to may hold pointers; each is named once, so this comes to an end.
  for (std::size_t k = 0; k < known.size(); ++k) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const device::BufferPointer& pointer = dispatch.pointers[i];
      const Described one = known[k];
      if (!names[i].empty() || pointer.holder != one.memory.buffer) continue;
      if (pointer.offset_bytes < one.memory.offset_bytes) continue;
      const auto found = device::pointer_at(*one.leads, one.name, one.memory.size_bytes,
                                            pointer.offset_bytes - one.memory.offset_bytes);
      if (!found) continue;
      names[i] = found->path;
      known.push_back({pointer.target, found->pointer, found->path});
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = fmt::format("pointer {}", i);
  }
  return names;
}

}  // namespace assay::simulator
