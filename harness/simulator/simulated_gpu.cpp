#include "harness/simulator/simulated_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "assay/device/registry.hpp"
#include "harness/device/bytes.hpp"
#include "harness/device/grouped.hpp"
#include "harness/device/planned_schedule.hpp"
#include "harness/sandbox/processor_clock.hpp"
#include "harness/simulator/address_space.hpp"
#include "harness/simulator/bound_launch.hpp"
#include "harness/simulator/branches.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/compute_unit.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/drawn_decisions.hpp"
#include "harness/simulator/flushing.hpp"
#include "harness/simulator/loop_steps.hpp"
#include "harness/simulator/memory_image.hpp"
#include "harness/simulator/planned_decisions.hpp"
#include "harness/simulator/schedule.hpp"
#include "harness/simulator/undefined_results.hpp"

namespace assay::simulator {
namespace {

using device::DeviceError;

device::LaunchReport refused(const std::string& why) {
  device::Fault fault;
  fault.kind = device::FaultKind::over_budget;
  fault.message = why;
  return {{fault}};
}

/// A launch of many threads takes long and hangs nowhere: whenever so many have begun, there is as much
/// processor time again.
constexpr std::uint64_t kThreadsPerStretch = 1 << 20;

/// Threadgroup memory as it is before a threadgroup begins: garbage.
void make_garbage(const ComputeUnit& unit, const Launch& launch) {
  const auto fill = [&](std::size_t offset_bytes, std::size_t size_bytes) {
    device::fill_poison({unit.window() + offset_bytes, size_bytes}, device::kThreadgroupPoison);
  };
  const auto& variables = launch.module->threadgroup_variables();
  for (std::size_t i = 0; i < variables.size(); ++i) fill(i * ASSAY_SLOT_STRIDE, variables[i].size_bytes);
  for (std::size_t i = 0; i < launch.threadgroup_sizes.size(); ++i)
    fill(launch.threadgroup_offsets[i], launch.threadgroup_sizes[i]);
}

/// The position of a threadgroup in the grid, by its number in the order in which a launch runs them.
device::Size3 position_of(const device::Dispatch& dispatch, const Launch& launch, std::uint64_t i) {
  if (!dispatch.sample.empty()) return dispatch.sample[i];
  const auto& grid = launch.threadgroups;
  return {static_cast<std::uint32_t>(i % grid.x), static_cast<std::uint32_t>(i / grid.x % grid.y),
          static_cast<std::uint32_t>(i / grid.x / grid.y)};
}

/// Addresses are free: where nobody asks for less, buffers may be as large as there is room.
Options with_all_addresses(Options options) {
  if (options.limits.buffer_bytes == device::Limits{}.buffer_bytes)
    options.limits.buffer_bytes = kLargestSparseBuffer - 2 * options.margin_bytes;
  return options;
}

}  // namespace

SimulatedGpu::SimulatedGpu(Options options)
    : options_(with_all_addresses(std::move(options))),
      checker_(options_.mode == Mode::checked ? std::make_unique<Checker>() : nullptr),
      counters_(options_.mode == Mode::counted ? std::make_unique<Counters>(options_.only_reach) : nullptr),
      buffers_(options_.limits.buffer_bytes, checker_.get(), options_.margin_bytes) {
  if (options_.mode != Mode::fast) options_.threads = 1;
  options_.threads = std::clamp(options_.threads, 1u, 64u);
}

SimulatedGpu::~SimulatedGpu() {
  checker_.reset();  // its records of buffers and windows go before they do
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

device::BufferId SimulatedGpu::allocate(std::size_t size_bytes) { return buffers_.allocate(size_bytes); }

device::BufferId SimulatedGpu::allocate_sparse(std::size_t size_bytes) {
  return buffers_.allocate_sparse(size_bytes);
}

void SimulatedGpu::release(device::BufferId buffer) { buffers_.release(buffer); }

void SimulatedGpu::upload(device::BufferId buffer, std::size_t offset_bytes,
                          std::span<const std::byte> data) {
  buffers_.upload(buffer, offset_bytes, data);
}

void SimulatedGpu::download(device::BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) {
  const std::byte* const begin = buffers_.at(buffer, offset_bytes, data.size());
  if (!data.empty()) std::memcpy(data.data(), begin, data.size());
}

void SimulatedGpu::upload_repeated(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                                   std::span<const std::byte> pattern) {
  if (pattern.empty()) throw DeviceError("a pattern must have at least 1 byte");
  if (!buffers_.is_sparse(buffer)) return Device::upload_repeated(buffer, offset_bytes, size_bytes, pattern);
  buffers_.repeat(buffer, offset_bytes, size_bytes, pattern);
}

void SimulatedGpu::forget(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  buffers_.forget(buffer, offset_bytes, size_bytes);
}

std::vector<device::ByteRange> SimulatedGpu::touched(device::BufferId buffer, std::size_t offset_bytes,
                                                     std::size_t size_bytes) {
  if (buffers_.is_sparse(buffer)) return buffers_.touched(buffer, offset_bytes, size_bytes);
  buffers_.at(buffer, offset_bytes, size_bytes);
  return Device::touched(buffer, offset_bytes, size_bytes);
}

void SimulatedGpu::run_apart(std::uint64_t count, const Start& start) {
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

void SimulatedGpu::run_together(const device::Dispatch& dispatch, Launch& launch, std::uint64_t count,
                                const Start& start) {
  std::unique_ptr<Decisions> decisions;
  if (dispatch.planned != nullptr) {
    decisions = std::make_unique<PlannedDecisions>(*dispatch.planned);
  } else {
    decisions =
        std::make_unique<DrawnDecisions>(dispatch.schedule != 0 ? dispatch.schedule : options_.schedule,
                                         count, dispatch.resident_threadgroups);
  }
  Schedule schedule(*decisions, count, units_, start);
  launch.schedule = &schedule;
  schedule.run();
  launch.schedule = nullptr;
  if (schedule.lacked_room() && dispatch.resident_threadgroups > device::kMostInFlight) {
    throw DeviceError(
        fmt::format("the launch counts on {} threadgroups in flight, and the simulator has room for {}; "
                    "use smaller grids",
                    device::grouped(dispatch.resident_threadgroups), device::kMostInFlight));
  }
  schedule.report(dispatch.resident_threadgroups, *launch.faults);
}

void SimulatedGpu::begin_records(const BoundLaunch& bound) {
  for (auto& unit : units_) unit->take_invocations();  // of a launch that ended in an exception
  std::vector<NamedRange> memory = bound.memory();
  if (counters_) counters_->begin_launch(bound.launch, memory);
  if (!checker_) return;
  std::erase_if(memory, [](const NamedRange& range) { return range.size_bytes == 0; });
  checker_->begin_launch(bound.launch, std::move(memory));
}

void SimulatedGpu::end_records(const BoundLaunch& bound, device::LaunchReport& report) {
  if (checker_ && options_.writers) {
    const auto writers = [&](const std::vector<NamedRange>& ranges, auto& into) {
      for (const NamedRange& range : ranges) into.push_back(checker_->writers(range.begin, range.size_bytes));
    };
    writers(bound.arguments, report.writers);
    writers(bound.textures, report.texture_writers);
    writers(bound.pointers, report.pointer_writers);
  }
  if (checker_) checker_->end_launch();
  if (counters_) {
    counters_->end_launch();
    report.counts = std::make_shared<const Counts>(counters_->counts());
  }
  report.kernel_invocations = 0;
  for (auto& unit : units_) *report.kernel_invocations += unit->take_invocations();
}

device::LaunchReport SimulatedGpu::dispatch(const device::Dispatch& dispatch) {
  const metal::KernelModule& module = *this->module(dispatch.kernel);
  if (const auto why = over_budget(dispatch, module, options_.limits); !why.empty()) return refused(why);
  BoundLaunch bound(buffers_, dispatch, module);
  FaultLog faults(options_.fault_seen);
  UndefinedResults undefined;
  if (!checker_) return run(dispatch, bound, faults, undefined);
  const auto memory = bound.memory();
  const MemoryImage before(buffers_, memory);
  for (const NamedRange& range : memory) buffers_.launched(range.begin);
  device::LaunchReport report = run(dispatch, bound, faults, undefined);
  if (report.clean() && !report.undefined.empty()) try_other_results(dispatch, bound, before, report);
  return report;
}

void SimulatedGpu::try_other_results(const device::Dispatch& dispatch, BoundLaunch& bound,
                                     const MemoryImage& before, device::LaunchReport& report) {
  // Should it never come to its end, this is why.
  for (const device::Fault& fault : report.undefined)
    if (options_.fault_seen) options_.fault_seen(fault);
  const auto memory = bound.memory();
  const MemoryImage after(buffers_, memory);
  before.restore();
  device::Dispatch again = dispatch;
  device::PlannedSchedule planned;
  if (dispatch.planned != nullptr) {
    planned.plan = dispatch.planned->plan;
    again.planned = &planned;
  }
  FaultLog faults;
  UndefinedResults others(true);
  const bool same = run(again, bound, faults, others).clean() && MemoryImage(buffers_, memory) == after;
  after.restore();
  if (!same) report.faults = std::move(report.undefined);
  report.undefined.clear();
}

device::LaunchReport SimulatedGpu::run(const device::Dispatch& dispatch, BoundLaunch& bound, FaultLog& faults,
                                       UndefinedResults& undefined) {
  const metal::KernelModule& module = *bound.launch.module;
  Launch& launch = bound.launch;
  launch.faults = &faults;
  launch.undefined = &undefined;
  launch.flushes = options_.numerics == device::Numerics::flushed;
  launch.checker = checker_.get();
  launch.counters = counters_.get();

  const std::uint64_t count =
      dispatch.sample.empty() ? device::volume(launch.threadgroups) : dispatch.sample.size();
  const std::uint64_t per_stretch =
      1 + kThreadsPerStretch / std::max<std::uint64_t>(1, device::volume(launch.threads));
  std::atomic<std::uint64_t> begun{0};  // threadgroups, in whatever order they begin
  const auto start = [&](ComputeUnit& unit, std::uint64_t i) {
    if (++begun % per_stretch == 0) sandbox::restart_processor_clock();
    make_garbage(unit, launch);
    return unit.run(launch, position_of(dispatch, launch, i));
  };
  begin_records(bound);
  if (options_.loop_budget) allow_steps(options_.loop_budget->left);
  if (module.has_atomics()) {
    run_together(dispatch, launch, count, start);
  } else {
    run_apart(count, start);
  }
  device::LaunchReport report = faults.report();
  report.undefined = undefined.faults(module);
  end_records(bound, report);
  if (options_.loop_budget) options_.loop_budget->left = steps_left();
  for (std::size_t i = 0; i < options_.conditions; ++i)
    report.conditions.push_back(
        static_cast<std::uint8_t>((seen_branch(i, false) ? 1 : 0) | (seen_branch(i, true) ? 2 : 0)));
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
