#include "harness/simulator/bound_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/device/grouped.hpp"
#include "harness/simulator/pointer_names.hpp"
#include "harness/simulator/texture_fit.hpp"

namespace assay::simulator {
namespace {

using device::counted;
using device::DeviceError;
using device::grouped;

constexpr std::size_t aligned16(std::size_t n) { return (n + 15) / 16 * 16; }

/// More than any device has; sums of such sizes are still exact.
constexpr std::size_t kHuge = std::size_t{1} << 40;

/// The kernel's variables, and the launch's arguments behind them.
std::size_t threadgroup_bytes(const device::Dispatch& dispatch, const metal::KernelModule& module) {
  std::size_t total = 0;
  for (const auto& variable : module.threadgroup_variables()) total += aligned16(variable.size_bytes);
  for (const std::size_t size : dispatch.threadgroup_bytes) total += aligned16(std::min(size, kHuge));
  return total;
}

[[noreturn]] void fail_unbound(const std::string& name, const char* kind, int index) {
  throw DeviceError(fmt::format("parameter `{}` at [[{}({})]] has nothing bound to it", name, kind, index));
}

NamedRange range_of(const void* begin, std::size_t size_bytes, std::string name) {
  return {reinterpret_cast<std::uintptr_t>(begin), size_bytes, std::move(name)};
}

}  // namespace

std::string over_budget(const device::Dispatch& dispatch, const metal::KernelModule& module,
                        const device::Limits& limits) {
  const auto threads = device::volume(dispatch.threads_per_threadgroup);
  if (threads == 0 || device::volume(dispatch.grid) == 0)
    throw DeviceError("the grid is empty: each of its sizes must be at least 1");
  if (threads > limits.threads_per_threadgroup) {
    return fmt::format("the launch has {} threads in a threadgroup, but the device allows {}",
                       grouped(threads), grouped(limits.threads_per_threadgroup));
  }
  if (const auto most = module.max_threads_per_threadgroup(); most != 0 && threads > most) {
    return fmt::format(
        "the launch has {} threads in a threadgroup, but the kernel says that it takes at most {}",
        grouped(threads), grouped(most));
  }
  const auto bytes = threadgroup_bytes(dispatch, module);
  if (bytes <= limits.threadgroup_memory_bytes) return {};
  return fmt::format("the kernel uses {} of threadgroup memory, but the device has {}",
                     counted(bytes, "byte"), grouped(limits.threadgroup_memory_bytes));
}

BoundLaunch::BoundLaunch(Buffers& buffers, const device::Dispatch& dispatch,
                         const metal::KernelModule& module)
    : buffers_(buffers), dispatch_(dispatch), module_(module), inline_{buffers} {
  launch.module = &module;
  launch.odd_variable = dispatch.odd_variable;
  bind_grid();
  bind_arguments();
  bind_textures();
  bind_samplers();
  bind_threadgroup_memory();
  write_pointers();
}

BoundLaunch::InlineBuffers::~InlineBuffers() {
  for (const auto id : ids) buffers.release(id);
}

std::vector<NamedRange> BoundLaunch::memory() const {
  std::vector<NamedRange> all = arguments;
  all.insert(all.end(), textures.begin(), textures.end());
  all.insert(all.end(), pointers.begin(), pointers.end());
  return all;
}

void BoundLaunch::bind_grid() {
  launch.threads = dispatch_.threads_per_threadgroup;
  const device::Size3 all = launch.threadgroups = device::threadgroups_of(dispatch_);
  for (const device::Size3& one : dispatch_.sample) {
    if (one.x >= all.x || one.y >= all.y || one.z >= all.z) {
      throw DeviceError(
          fmt::format("threadgroup ({}, {}, {}) of a sample is outside the grid of {} x {} x {}", one.x,
                      one.y, one.z, all.x, all.y, all.z));
    }
  }
  const device::Size3& grid = dispatch_.grid;
  const device::Size3& threads = launch.threads;
  launch.grid_threads = dispatch_.grid_in_threads
                            ? grid
                            : device::Size3{grid.x * threads.x, grid.y * threads.y, grid.z * threads.z};
}

void BoundLaunch::bind_arguments() {
  launch.buffers.resize(dispatch_.arguments.size());
  arguments.resize(dispatch_.arguments.size());
  for (std::size_t i = 0; i < dispatch_.arguments.size(); ++i) {
    device::BufferSlice slice;
    if (const auto* bound = std::get_if<device::BufferSlice>(&dispatch_.arguments[i])) {
      slice = *bound;
    } else if (const auto* bytes = std::get_if<device::InlineBytes>(&dispatch_.arguments[i])) {
      slice = {buffers_.allocate(bytes->bytes.size()), 0, bytes->bytes.size()};
      inline_.ids.push_back(slice.buffer);
      buffers_.upload(slice.buffer, 0, bytes->bytes);
    } else {
      continue;
    }
    launch.buffers[i] = buffers_.at(slice);
    arguments[i] = range_of(launch.buffers[i], slice.size_bytes, fmt::format("buffer({})", i));
  }
  for (const auto& parameter : module_.parameters()) {
    if (parameter.threadgroup) continue;
    const auto at = static_cast<std::size_t>(parameter.index);
    if (at >= arguments.size() || launch.buffers[at] == nullptr)
      fail_unbound(parameter.name, "buffer", parameter.index);
    arguments[at].name = parameter.name;
    arguments[at].coherent = module_.is_coherent(parameter.name);
  }
}

void BoundLaunch::bind_textures() {
  launch.textures.resize(dispatch_.textures.size());
  textures.resize(dispatch_.textures.size());
  for (std::size_t i = 0; i < dispatch_.textures.size(); ++i) {
    if (!dispatch_.textures[i]) continue;
    const auto& [memory, shape] = *dispatch_.textures[i];
    std::byte* const texels = buffers_.at(memory);
    if (memory.size_bytes != device::texture_bytes(shape) || memory.size_bytes == 0) {
      throw DeviceError(fmt::format("texture {} has {}, but its shape needs {}", i,
                                    counted(memory.size_bytes, "byte"),
                                    grouped(device::texture_bytes(shape))));
    }
    launch.textures[i] = {.texels = texels,
                          .width = shape.width,
                          .height = shape.height,
                          .depth = shape.depth,
                          .layers = shape.layers,
                          .format = static_cast<std::uint32_t>(shape.format),
                          .index = static_cast<std::uint32_t>(i)};
    textures[i] = range_of(texels, memory.size_bytes, fmt::format("texture({})", i));
    textures[i].texture = shape;
  }
  for (const auto& parameter : module_.textures()) {
    const auto at = static_cast<std::size_t>(parameter.index);
    if (at >= textures.size() || launch.textures[at].texels == nullptr)
      fail_unbound(parameter.name, "texture", parameter.index);
    if (const auto why = misfit(parameter, dispatch_.textures[at]->shape); !why.empty()) {
      throw DeviceError(
          fmt::format("parameter `{}` at [[texture({})]] {}", parameter.name, parameter.index, why));
    }
    textures[at].name = parameter.name;
  }
}

void BoundLaunch::bind_samplers() {
  for (const auto& sampler : dispatch_.samplers) {
    auto& state = launch.samplers.emplace_back();
    if (!sampler) continue;
    state = {.linear = static_cast<std::uint8_t>(sampler->linear),
             .pixels = static_cast<std::uint8_t>(sampler->pixels)};
    for (std::size_t axis = 0; axis < 3; ++axis)
      state.wrap[axis] = static_cast<std::uint8_t>(sampler->wrap[axis]);
  }
  for (const auto& parameter : module_.samplers()) {
    const auto at = static_cast<std::size_t>(parameter.index);
    if (at >= dispatch_.samplers.size() || !dispatch_.samplers[at])
      fail_unbound(parameter.name, "sampler", parameter.index);
  }
}

void BoundLaunch::bind_threadgroup_memory() {
  const std::size_t variables = module_.threadgroup_variables().size();
  launch.threadgroup_sizes = dispatch_.threadgroup_bytes;
  for (std::size_t i = 0; i < launch.threadgroup_sizes.size(); ++i) {
    const std::size_t size = launch.threadgroup_sizes[i];
    if (size == aligned16(size)) continue;
    throw DeviceError(fmt::format(
        "threadgroup({}) has {}; lengths of threadgroup memory are multiples of 16 bytes: give it {}", i,
        counted(size, "byte"), grouped(aligned16(size))));
  }
  for (std::size_t i = 0; i < launch.threadgroup_sizes.size(); ++i)
    launch.threadgroup_offsets.push_back((variables + i) * ASSAY_SLOT_STRIDE);
  for (const auto& parameter : module_.parameters()) {
    if (parameter.threadgroup && static_cast<std::size_t>(parameter.index) >= launch.threadgroup_sizes.size())
      fail_unbound(parameter.name, "threadgroup", parameter.index);
  }
}

void BoundLaunch::write_pointers() {
  std::set<std::pair<device::BufferId, std::size_t>> places;
  for (std::size_t i = 0; i < dispatch_.pointers.size(); ++i) {
    const auto& [holder, offset_bytes, target] = dispatch_.pointers[i];
    const auto refuse = [i, offset = offset_bytes](const std::string& why) {
      throw DeviceError(fmt::format("pointer {} at byte {}: {}", i, grouped(offset), why));
    };
    buffers_.at(holder, offset_bytes, device::kPointerBytes);
    if (offset_bytes % device::kPointerBytes != 0)
      refuse(fmt::format("pointers lie at multiples of {} bytes", device::kPointerBytes));
    // Of one that repeats a pattern many places are one.
    if (buffers_.is_sparse(holder)) refuse("a sparse buffer cannot hold pointers");
    if (!places.emplace(holder, offset_bytes).second) refuse("another pointer is there");
    pointers.push_back(range_of(buffers_.at(target), target.size_bytes, {}));
  }
  // Nothing is written unless all of them can be.
  const auto names = names_of_pointers(dispatch_, module_);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    pointers[i].name = names[i];
    pointers[i].coherent = module_.is_coherent(names[i]);
    buffers_.upload(dispatch_.pointers[i].holder, dispatch_.pointers[i].offset_bytes,
                    std::as_bytes(std::span(&pointers[i].begin, 1)));
  }
}

}  // namespace assay::simulator
