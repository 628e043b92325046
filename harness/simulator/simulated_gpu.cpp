#include "harness/simulator/simulated_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>
#include <utility>

#include "harness/device/bytes.hpp"
#include "harness/device/grouped.hpp"
#include "harness/device/registry.hpp"
#include "harness/sandbox/processor_clock.hpp"
#include "harness/simulator/address_space.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/compute_unit.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/drawn_decisions.hpp"
#include "harness/simulator/flushing.hpp"
#include "harness/simulator/pointer_names.hpp"
#include "harness/simulator/schedule.hpp"
#include "harness/simulator/texture_fit.hpp"

namespace assay::simulator {
namespace {

using device::counted;
using device::DeviceError;
using device::grouped;

/// As bytes from `offset` on of fresh memory.
device::LaunchReport refused(const std::string& message) {
  device::Fault fault;
  fault.kind = device::FaultKind::over_budget;
  fault.message = message;
  return {{fault}};
}

void check_size(std::size_t size_bytes, const device::Limits& limits) {
  if (size_bytes == 0) throw DeviceError("a buffer must have at least 1 byte");
  if (size_bytes > limits.buffer_bytes) {
    throw DeviceError(fmt::format("a buffer of {} is too large: the device allows {}",
                                  counted(size_bytes, "byte"), counted(limits.buffer_bytes, "byte")));
  }
}

/// A launch of many threads takes long and hangs nowhere: whenever so many have begun, there is as much
/// processor time again.
constexpr std::uint64_t kThreadsPerStretch = 1 << 20;

constexpr std::size_t aligned16(std::size_t n) { return (n + 15) / 16 * 16; }

}  // namespace

SimulatedGpu::SimulatedGpu(Options options) : options_(std::move(options)) {
  if (options_.mode != Mode::fast) options_.threads = 1;
  if (options_.mode == Mode::checked) checker_ = std::make_unique<Checker>();
  if (options_.mode == Mode::counted) counters_ = std::make_unique<Counters>(options_.only_reach);
  options_.threads = std::clamp(options_.threads, 1u, 64u);
}

SimulatedGpu::~SimulatedGpu() {
  checker_.reset();  // its records of buffers and windows go before they do
  for (auto& [id, buffer] : buffers_) give_back(buffer);
}

device::KernelId SimulatedGpu::load(const device::KernelSource& source) {
  if (options_.numerics == device::Numerics::flushed && !can_flush()) {
    throw DeviceError("this processor cannot flush subnormal numbers to zero; leave out --flush-subnormals");
  }
  const auto flavour = options_.mode == Mode::fast  ? metal::Flavour::fast
                       : options_.private_variables ? metal::Flavour::watched
                                                    : metal::Flavour::checked;
  kernels_.push_back(options_.compile
                         ? options_.compile(source)
                         : metal::compile(source, flavour, metal::toolchain(), options_.numerics));
  return static_cast<device::KernelId>(kernels_.size() - 1);
}

const metal::KernelModule* SimulatedGpu::module(device::KernelId kernel) const {
  const auto index = static_cast<std::size_t>(kernel);
  if (index >= kernels_.size()) throw DeviceError("this kernel was not loaded on this device");
  return kernels_[index].get();
}

device::BufferId SimulatedGpu::allocate(std::size_t size_bytes) {
  check_size(size_bytes, options_.limits);
  auto& memory = AddressSpace::instance();
  const bool large = size_bytes > kLargestBuffer;
  std::byte* data = large ? memory.allocate_sparse(size_bytes) : memory.allocate(size_bytes);
  device::fill_poison({data, size_bytes}, device::kPoison);
  return add(data, size_bytes);
}

device::BufferId SimulatedGpu::allocate_sparse(std::size_t size_bytes) {
  check_size(size_bytes, options_.limits);
  return add(AddressSpace::instance().allocate_sparse(size_bytes), size_bytes);
}

device::BufferId SimulatedGpu::add(std::byte* data, std::size_t size_bytes) {
  if (checker_) checker_->allocated(reinterpret_cast<std::uintptr_t>(data), size_bytes);
  buffers_[next_buffer_] = {data, size_bytes};
  return static_cast<device::BufferId>(next_buffer_++);
}

void SimulatedGpu::give_back(const Buffer& buffer) {
  auto& memory = AddressSpace::instance();
  if (AddressSpace::is_sparse(reinterpret_cast<std::uintptr_t>(buffer.data))) {
    memory.release_sparse(buffer.data, buffer.size_bytes);
  } else {
    memory.release(buffer.data, buffer.size_bytes);
  }
}

SimulatedGpu::Buffer& SimulatedGpu::find(device::BufferId buffer) {
  const auto found = buffers_.find(static_cast<std::uint32_t>(buffer));
  if (found == buffers_.end()) {
    throw DeviceError(fmt::format("there is no buffer {}: it was released, or belongs to another device",
                                  static_cast<std::uint32_t>(buffer)));
  }
  return found->second;
}

SimulatedGpu::Buffer& SimulatedGpu::find_range(device::BufferId buffer, std::size_t offset_bytes,
                                               std::size_t size_bytes) {
  Buffer& found = find(buffer);
  if (offset_bytes > found.size_bytes || size_bytes > found.size_bytes - offset_bytes) {
    throw DeviceError(fmt::format("bytes {} to {} are outside a buffer of {}", grouped(offset_bytes),
                                  grouped(offset_bytes + size_bytes), counted(found.size_bytes, "byte")));
  }
  return found;
}

void SimulatedGpu::release(device::BufferId buffer) {
  Buffer& found = find(buffer);
  if (checker_) checker_->released(reinterpret_cast<std::uintptr_t>(found.data));
  give_back(found);
  buffers_.erase(static_cast<std::uint32_t>(buffer));
}

void SimulatedGpu::upload(device::BufferId buffer, std::size_t offset_bytes,
                          std::span<const std::byte> data) {
  Buffer& found = find_range(buffer, offset_bytes, data.size());
  if (data.empty()) return;
  std::memcpy(found.data + offset_bytes, data.data(), data.size());
  if (checker_) checker_->uploaded(reinterpret_cast<std::uintptr_t>(found.data) + offset_bytes, data.size());
}

void SimulatedGpu::download(device::BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) {
  const Buffer& found = find_range(buffer, offset_bytes, data.size());
  if (!data.empty()) std::memcpy(data.data(), found.data + offset_bytes, data.size());
}

void SimulatedGpu::upload_repeated(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                                   std::span<const std::byte> pattern) {
  Buffer& found = find_range(buffer, offset_bytes, size_bytes);
  if (pattern.empty()) throw DeviceError("a pattern must have at least 1 byte");
  if (!AddressSpace::is_sparse(reinterpret_cast<std::uintptr_t>(found.data)))
    return Device::upload_repeated(buffer, offset_bytes, size_bytes, pattern);
  std::byte* const begin = found.data + offset_bytes;
  AddressSpace::instance().repeat(begin, size_bytes, pattern);
  if (checker_) checker_->uploaded(reinterpret_cast<std::uintptr_t>(begin), size_bytes);
}

void SimulatedGpu::forget(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  Buffer& found = find_range(buffer, offset_bytes, size_bytes);
  std::byte* const begin = found.data + offset_bytes;
  device::fill_poison({begin, size_bytes}, device::kPoison, offset_bytes);
  if (checker_) checker_->forgotten(reinterpret_cast<std::uintptr_t>(begin), size_bytes);
}

std::vector<device::ByteRange> SimulatedGpu::touched(device::BufferId buffer, std::size_t offset_bytes,
                                                     std::size_t size_bytes) {
  const Buffer& found = find_range(buffer, offset_bytes, size_bytes);
  if (!AddressSpace::is_sparse(reinterpret_cast<std::uintptr_t>(found.data)))
    return Device::touched(buffer, offset_bytes, size_bytes);
  auto ranges = AddressSpace::instance().touched(found.data + offset_bytes, size_bytes);
  for (auto& range : ranges) {
    range.begin += offset_bytes;
    range.end += offset_bytes;
  }
  return ranges;
}

// Threadgroups that cannot meet run one after the other, on as many OS threads as there are.
void SimulatedGpu::run_apart(std::uint64_t count,
                             const std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)>& start) {
  const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(options_.threads, count));
  while (units_.size() < workers) units_.push_back(std::make_unique<ComputeUnit>());
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stop{false};
  const auto work = [&](ComputeUnit& unit) {
    for (std::uint64_t i; !stop && (i = next++) < count;) {
      if (start(unit, i) == ComputeUnit::Progress::given_up) stop = true;
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned w = 1; w < workers; ++w) threads.emplace_back([&, w] { work(*units_[w]); });
  work(*units_[0]);
}

void SimulatedGpu::bind_textures(const device::Dispatch& dispatch, const metal::KernelModule& module,
                                 Launch& launch, std::vector<NamedRange>& by_index) {
  const auto missing = [](const auto& parameter, const char* kind) {
    throw DeviceError(fmt::format("parameter `{}` at [[{}({})]] has nothing bound to it", parameter.name,
                                  kind, parameter.index));
  };
  for (std::size_t i = 0; i < dispatch.textures.size(); ++i) {
    auto& state = launch.textures.emplace_back();
    by_index.emplace_back();
    const auto& texture = dispatch.textures[i];
    if (!texture) continue;
    const auto& [memory, shape] = *texture;
    std::byte* const data =
        find_range(memory.buffer, memory.offset_bytes, memory.size_bytes).data + memory.offset_bytes;
    if (memory.size_bytes != device::texture_bytes(shape) || memory.size_bytes == 0) {
      throw DeviceError(fmt::format("texture {} has {}, but its shape needs {}", i,
                                    counted(memory.size_bytes, "byte"),
                                    grouped(device::texture_bytes(shape))));
    }
    state = {.texels = data,
             .width = shape.width,
             .height = shape.height,
             .depth = shape.depth,
             .layers = shape.layers,
             .format = static_cast<std::uint32_t>(shape.format),
             .index = static_cast<std::uint32_t>(i)};
    std::string name = fmt::format("texture({})", i);
    for (const auto& parameter : module.textures()) {
      if (parameter.index == static_cast<int>(i)) name = parameter.name;
    }
    by_index.back() = {reinterpret_cast<std::uintptr_t>(data), memory.size_bytes, name, shape};
  }
  for (const auto& sampler : dispatch.samplers) {
    auto& state = launch.samplers.emplace_back();
    if (!sampler) continue;
    state = {.linear = sampler->linear, .pixels = sampler->pixels};
    for (std::size_t axis = 0; axis < 3; ++axis)
      state.wrap[axis] = static_cast<std::uint32_t>(sampler->wrap[axis]);
  }
  for (const auto& parameter : module.textures()) {
    const auto at = static_cast<std::size_t>(parameter.index);
    if (at >= launch.textures.size() || launch.textures[at].texels == nullptr) missing(parameter, "texture");
    if (const auto why = misfit(parameter, dispatch.textures[at]->shape); !why.empty())
      throw DeviceError(
          fmt::format("parameter `{}` at [[texture({})]] {}", parameter.name, parameter.index, why));
  }
  for (const auto& parameter : module.samplers()) {
    const auto at = static_cast<std::size_t>(parameter.index);
    if (at >= dispatch.samplers.size() || !dispatch.samplers[at]) missing(parameter, "sampler");
  }
}

std::vector<NamedRange> SimulatedGpu::write_pointers(const device::Dispatch& dispatch,
                                                     const metal::KernelModule& module) {
  std::vector<NamedRange> targets;
  std::set<std::pair<device::BufferId, std::size_t>> places;
  for (std::size_t i = 0; i < dispatch.pointers.size(); ++i) {
    const auto& [holder, offset_bytes, target] = dispatch.pointers[i];
    const auto refuse = [i, offset = offset_bytes](const std::string& why) {
      throw DeviceError(fmt::format("pointer {} at byte {}: {}", i, grouped(offset), why));
    };
    const std::byte* const at = find_range(holder, offset_bytes, device::kPointerBytes).data + offset_bytes;
    if (offset_bytes % device::kPointerBytes != 0)
      refuse(fmt::format("pointers lie at multiples of {} bytes", device::kPointerBytes));
    // Of one that repeats a pattern many places are one.
    if (AddressSpace::is_sparse(reinterpret_cast<std::uintptr_t>(at)))
      refuse("a sparse buffer cannot hold pointers");
    if (!places.emplace(holder, offset_bytes).second) refuse("another pointer is there");
    const std::byte* const to =
        find_range(target.buffer, target.offset_bytes, target.size_bytes).data + target.offset_bytes;
    targets.push_back({reinterpret_cast<std::uintptr_t>(to), target.size_bytes, {}});
  }
  // Nothing is written unless all of them can be.
  const auto names = names_of_pointers(dispatch, module);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets[i].name = names[i];
    upload(dispatch.pointers[i].holder, dispatch.pointers[i].offset_bytes,
           std::as_bytes(std::span(&targets[i].begin, 1)));
  }
  return targets;
}

device::LaunchReport SimulatedGpu::dispatch(const device::Dispatch& dispatch) {
  const metal::KernelModule& module = *this->module(dispatch.kernel);

  Launch launch;
  launch.module = &module;
  launch.threads = dispatch.threads_per_threadgroup;
  const auto volume = [](const device::Size3& s) { return std::uint64_t{s.x} * s.y * s.z; };
  if (volume(launch.threads) == 0 || volume(dispatch.grid) == 0)
    throw DeviceError("the grid is empty: each of its sizes must be at least 1");
  if (volume(launch.threads) > options_.limits.threads_per_threadgroup) {
    return refused(fmt::format("the launch has {} threads in a threadgroup, but the device allows {}",
                               grouped(volume(launch.threads)),
                               grouped(options_.limits.threads_per_threadgroup)));
  }
  if (const auto most = module.max_threads_per_threadgroup(); most != 0 && volume(launch.threads) > most) {
    return refused(
        fmt::format("the launch has {} threads in a threadgroup, but the kernel says that it takes "
                    "at most {}",
                    grouped(volume(launch.threads)), grouped(most)));
  }
  launch.threadgroups = device::threadgroups_of(dispatch);
  for (const device::Size3& one : dispatch.sample) {
    const auto& all = launch.threadgroups;
    if (one.x >= all.x || one.y >= all.y || one.z >= all.z) {
      throw DeviceError(
          fmt::format("threadgroup ({}, {}, {}) of a sample is outside the grid of {} x {} x {}", one.x,
                      one.y, one.z, all.x, all.y, all.z));
    }
  }
  if (dispatch.grid_in_threads) {
    launch.grid_threads = dispatch.grid;
  } else {
    launch.grid_threads = {dispatch.grid.x * launch.threads.x, dispatch.grid.y * launch.threads.y,
                           dispatch.grid.z * launch.threads.z};
  }

  // Arguments. Inline bytes get a buffer of their own for the time of the launch.
  std::vector<NamedRange> named;  // those that are bound
  std::vector<NamedRange> by_index(dispatch.arguments.size());
  std::vector<device::BufferId> temporary;
  struct Release {
    SimulatedGpu& gpu;
    std::vector<device::BufferId>& ids;
    ~Release() {
      for (const auto id : ids) gpu.release(id);
    }
  } release_at_end{*this, temporary};
  for (std::size_t i = 0; i < dispatch.arguments.size(); ++i) {
    void* address = nullptr;
    std::size_t size = 0;
    if (const auto* slice = std::get_if<device::BufferSlice>(&dispatch.arguments[i])) {
      address = find_range(slice->buffer, slice->offset_bytes, slice->size_bytes).data + slice->offset_bytes;
      size = slice->size_bytes;
    } else if (const auto* bytes = std::get_if<device::InlineBytes>(&dispatch.arguments[i])) {
      temporary.push_back(allocate(bytes->bytes.size()));
      upload(temporary.back(), 0, bytes->bytes);
      address = find(temporary.back()).data;
      size = bytes->bytes.size();
    }
    launch.buffers.push_back(address);
    std::string name = fmt::format("buffer({})", i);
    for (const auto& parameter : module.parameters()) {
      if (!parameter.threadgroup && parameter.index == static_cast<int>(i)) name = parameter.name;
    }
    if (address == nullptr) continue;
    named.push_back({reinterpret_cast<std::uintptr_t>(address), size, name});
    by_index[i] = named.back();
  }

  std::vector<NamedRange> by_texture;
  bind_textures(dispatch, module, launch, by_texture);
  for (const NamedRange& one : by_texture) {
    if (one.size_bytes != 0) named.push_back(one);
  }

  const std::vector<NamedRange> by_pointer = write_pointers(dispatch, module);
  named.insert(named.end(), by_pointer.begin(), by_pointer.end());

  // Threadgroup memory: the kernel's variables in their slots, the launch's arguments behind them.
  std::size_t total = 0;
  for (const auto& variable : module.threadgroup_variables()) total += aligned16(variable.size_bytes);
  const auto& variables = module.threadgroup_variables();
  for (std::size_t i = 0; i < dispatch.threadgroup_bytes.size(); ++i) {
    launch.threadgroup_offsets.push_back((variables.size() + i) * ASSAY_SLOT_STRIDE);
    launch.threadgroup_sizes.push_back(dispatch.threadgroup_bytes[i]);
    total += aligned16(dispatch.threadgroup_bytes[i]);
  }
  if (total > options_.limits.threadgroup_memory_bytes) {
    return refused(fmt::format("the kernel uses {} of threadgroup memory, but the device has {}",
                               counted(total, "byte"), grouped(options_.limits.threadgroup_memory_bytes)));
  }
  for (const auto& parameter : module.parameters()) {
    const auto at = static_cast<std::size_t>(parameter.index);
    const bool bound = parameter.threadgroup ? at < launch.threadgroup_sizes.size()
                                             : at < launch.buffers.size() && launch.buffers[at] != nullptr;
    if (!bound) {
      throw DeviceError(fmt::format("parameter `{}` at [[{}({})]] has nothing bound to it", parameter.name,
                                    parameter.threadgroup ? "threadgroup" : "buffer", parameter.index));
    }
  }

  FaultLog faults(options_.fault_seen);
  launch.flushes = options_.numerics == device::Numerics::flushed;
  launch.faults = &faults;
  launch.odd_variable = dispatch.odd_variable;
  launch.checker = checker_.get();
  launch.counters = counters_.get();
  const std::uint64_t count = dispatch.sample.empty() ? volume(launch.threadgroups) : dispatch.sample.size();
  for (auto& unit : units_) unit->take_invocations();  // of a launch that ended in an exception
  if (checker_) checker_->begin_launch(launch, std::move(named));
  if (counters_) {
    std::vector<NamedRange> counted = by_index;
    counted.insert(counted.end(), by_texture.begin(), by_texture.end());
    counted.insert(counted.end(), by_pointer.begin(), by_pointer.end());
    counters_->begin_launch(launch, counted);
  }
  const std::uint64_t per_stretch = std::max<std::uint64_t>(1, kThreadsPerStretch / volume(launch.threads));
  std::atomic<std::uint64_t> begun{0};  // threadgroups, in whatever order they begin
  const auto start = [&](ComputeUnit& unit, std::uint64_t i) {
    if (++begun % per_stretch == 0) sandbox::restart_processor_clock();
    for (std::size_t slot = 0; slot < variables.size(); ++slot) {
      device::fill_poison({unit.window() + slot * ASSAY_SLOT_STRIDE, variables[slot].size_bytes},
                          device::kThreadgroupPoison);
    }
    for (std::size_t t = 0; t < launch.threadgroup_sizes.size(); ++t) {
      device::fill_poison({unit.window() + launch.threadgroup_offsets[t], launch.threadgroup_sizes[t]},
                          device::kThreadgroupPoison);
    }
    const auto& g = launch.threadgroups;
    if (!dispatch.sample.empty()) return unit.run(launch, dispatch.sample[i]);
    return unit.run(launch, {static_cast<std::uint32_t>(i % g.x), static_cast<std::uint32_t>(i / g.x % g.y),
                             static_cast<std::uint32_t>(i / g.x / g.y)});
  };
  if (module.has_atomics()) {
    DrawnDecisions drawn(dispatch.schedule != 0 ? dispatch.schedule : options_.schedule, count,
                         dispatch.resident_threadgroups);
    Schedule schedule(dispatch.decisions != nullptr ? *dispatch.decisions : drawn, count, units_, start);
    launch.schedule = &schedule;
    schedule.run();
    if (schedule.lacked_room() && dispatch.resident_threadgroups > device::kMostInFlight) {
      throw device::DeviceError(
          fmt::format("the launch counts on {} threadgroups in flight, and the simulator has room for {}; "
                      "use smaller grids",
                      device::grouped(dispatch.resident_threadgroups), device::kMostInFlight));
    }
    schedule.report(dispatch.resident_threadgroups, faults);
  } else {
    run_apart(count, start);
  }
  device::LaunchReport report = faults.report();
  if (options_.writers && checker_) {
    for (const NamedRange& range : by_index)
      report.writers.push_back(checker_->writers(range.begin, range.size_bytes));
    for (const NamedRange& range : by_texture)
      report.texture_writers.push_back(checker_->writers(range.begin, range.size_bytes));
    for (const NamedRange& range : by_pointer)
      report.pointer_writers.push_back(checker_->writers(range.begin, range.size_bytes));
  }
  if (checker_) checker_->end_launch();
  if (counters_) {
    counters_->end_launch();
    report.counts = std::make_shared<const Counts>(counters_->counts());
  }
  report.kernel_invocations = 0;
  for (auto& unit : units_) *report.kernel_invocations += unit->take_invocations();
  return report;
}

device::Capabilities SimulatedGpu::capabilities() const {
  return {.checks = checker_ != nullptr,
          .counts = counters_ != nullptr,
          .schedules = true,
          .writers = checker_ != nullptr && options_.writers,
          .poisons = true,
          .samples = true,
          .private_variables = checker_ != nullptr && options_.private_variables,
          .textures = true,
          .pointers = true};
}

namespace {

const device::RegisterDevice kSimulated("simulated",
                                        "a GPU of 32-lane simdgroups, simulated on the processor",
                                        [](const device::DeviceOptions& options) {
                                          return std::make_unique<SimulatedGpu>(options);
                                        });

}  // namespace

}  // namespace assay::simulator

// What a program asks the linker for that names no class of the simulator (harness/CMakeLists.txt).
extern "C" {
extern const char assay_simulated_device;
const char assay_simulated_device = 0;
}
