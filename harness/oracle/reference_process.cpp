#include "harness/oracle/reference_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <setjmp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>

#include "assay/tensor.hpp"
#include "harness/oracle/exploration.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/processor_clock.hpp"
#include "harness/verify/judge.hpp"
#include "properties/cases/operation.hpp"
#include "reference/bfloat.hpp"
#include "reference/half.hpp"

namespace assay::oracle {
namespace {

constexpr std::size_t kMostTensors = 64, kMostDimensions = 16, kMostAxes = 8;
constexpr std::size_t kSharedBytes = std::size_t{8} << 30;
/// Of values on the way to what is right (stdlib/assay/reference/values.h).
constexpr std::size_t kMostTaken = std::size_t{2} << 30;
/// More than this is given back to the system behind a problem.
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;
constexpr int kLookAround_ms = 500;
constexpr const char* kOverflows = ", which overflows on the way to";

/// Mirrors assay_reference::TensorMemory and Call (stdlib/assay/reference/tensors.h).
struct TensorMemory {
  void* data;
  const long* shape;
  unsigned axes, number;
  bool writable;
};
struct Call {
  const long* dimensions;
  const TensorMemory* tensors;
  const char* regime;
  unsigned long seed;
  bool fills;
};

/// An element for which several stretches are right that do not meet.
struct Apart {
  std::uint32_t tensor;
  std::uint64_t element;
  Stretch right;
};

// The exploration of the problem that is solved, in the reference's process, and where a failure leads.
thread_local Exploration* g_exploration = nullptr;
thread_local jmp_buf g_failed;
thread_local std::vector<std::vector<std::byte>> g_taken;
thread_local std::size_t g_taken_bytes = 0;
thread_local std::string g_failure;
thread_local const void* g_failed_at = nullptr;  // in the reference's code
thread_local const std::vector<StatedTensor>* g_names = nullptr;

/// Rounded once to the type; whole numbers are what they are.
double rounded(DType dtype, double value) {
  switch (dtype) {
    case DType::f16:
      return reference::half_to_double(reference::half_from_double(value));
    case DType::bf16:
      return reference::bfloat_to_double(reference::bfloat_from_double(value));
    case DType::f32:
      return static_cast<double>(static_cast<float>(value));
    default:
      return value;
  }
}

}  // namespace

/// Offsets are from the beginning of the shared memory.
struct ReferenceProcess::Memory {
  struct Slot {
    std::uint64_t data = 0, elements = 0;
    std::uint64_t value = 0, low = 0, high = 0, assigned = 0;  ///< of what is written
    std::array<long, kMostAxes> shape{};
    std::uint32_t axes = 0;
  };
  std::atomic<std::uint32_t> asked{0}, answered{0}, ended{0};
  std::uint32_t failed = 0;
  std::uint64_t failed_at = 0;  ///< an address in the reference's code; 0: unknown
  std::uint32_t fills = 0;
  std::uint64_t seed = 0;
  std::array<char, 64> regime{};
  std::array<char, 1024> message{};
  std::array<long, kMostDimensions> dimensions{};
  std::array<Slot, kMostTensors> slots{};
  std::uint64_t free = 0;         ///< where the room begins that the answer may take
  std::uint64_t apart_count = 0;  ///< of them, from there on

  void say(const std::string& what) {
    const std::size_t bytes = std::min(what.size(), message.size() - 1);
    std::memcpy(message.data(), what.data(), bytes);
    message[bytes] = '\0';
  }
  std::string said() const { return std::string(message.data(), strnlen(message.data(), message.size())); }
};

struct ReferenceProcess::Asked {
  std::uint32_t number = 0;
  std::array<Memory::Slot, kMostTensors> slots{};
  std::uint64_t free = sizeof(Memory);  ///< behind what the problem took
};

ReferenceProcess::Memory& ReferenceProcess::memory() const {
  return *reinterpret_cast<Memory*>(shared_.data());
}

ReferenceProcess::ReferenceProcess(std::shared_ptr<const StatedOperation> stated, std::string object,
                                   double limit_s)
    : stated_(std::move(stated)),
      module_(std::make_unique<metal::KernelModule>(
          std::make_shared<const metal::LoadedObject>(std::move(object)),
          metal::ModuleOptions{.folder = stated_->reference.parent_path()})),
      shared_(kSharedBytes),
      asked_(std::make_unique<Asked>()) {
  new (shared_.data()) Memory;
  guardian_.emplace([this, limit_s](const process::Reporter&) { guard(limit_s); });
  sandbox::withhold(shared_.data(), shared_.size());  // from kernels: right answers arrive there
}

ReferenceProcess::~ReferenceProcess() { sandbox::restore(shared_.data()); }

void ReferenceProcess::fail(const std::string& what) const {
  throw ReferenceFailure(fmt::format("{}: {}", stated_->called(), what));
}

// Waits for the end of the process that runs the reference, and tells those who wait for its answer.
void ReferenceProcess::guard(double limit_s) const {
  process::Child server([this](const process::Reporter&) { serve(); }, process::Trust::confined, limit_s);
  for (bool open = true; open;) {
    pollfd ready{server.fd(), POLLIN, 0};
    poll(&ready, 1, -1);
    open = server.receive();
    while (server.next()) {
    }
  }
  const auto death = server.join();
  std::string end = "the reference ended its process, which no reference may";
  if (death) {
    const std::string at = death->place.line == 0 ? "" : " at " + to_text(death->place);
    end = death->late() ? fmt::format("the reference ran for {} s of processor time on one problem{}{}",
                                      limit_s, at, sizes_asked())
          : !death->system_call.empty()
              ? fmt::format("the reference calls the operating system ({}), which no reference may{}",
                            death->system_call, at)
          : death->signal == SIGILL && death->place.line != 0
              ? "the reference goes past the end of one of its arrays" + at
          : death->early || death->malformed ? end
                                             : "the reference crashed: " + death->describe();
  }
  Memory& shared = memory();
  shared.say(end);
  shared.ended.store(1);
  shared.answered.fetch_add(1);
  process::wake(shared.answered);
}

std::string ReferenceProcess::sizes_asked() const {
  std::string text;
  for (std::size_t i = 0; i < stated_->dimensions.size(); ++i)
    text += fmt::format(" {}={}", stated_->dimensions[i].name, memory().dimensions[i]);
  if (text.empty()) return text;
  return fmt::format(
      "; it has{}: set `largest` of a dimension, make the reference quicker, or raise the timeout", text);
}

// In the confined process: one problem after the other.
void ReferenceProcess::serve() const {
  Memory& shared = memory();
  std::byte* const base = shared_.data();
  for (std::uint32_t done = 0;; ++done) {
    while (shared.asked.load() == done) process::wait_for_change(shared.asked, done, 60'000);
    sandbox::restart_processor_clock();
    std::vector<TensorMemory> tensors;
    std::vector<AssignedOutput> outputs(stated_->tensors.size());
    for (std::size_t i = 0; i < stated_->tensors.size(); ++i) {
      const Memory::Slot& slot = shared.slots[i];
      tensors.push_back(
          {base + slot.data, slot.shape.data(), slot.axes, static_cast<unsigned>(i), shared.fills != 0});
      if (stated_->tensors[i].access == StatedTensor::Access::in) continue;
      const auto doubles = [&](std::uint64_t at) {
        return std::span<double>(reinterpret_cast<double*>(base + at), slot.elements);
      };
      outputs[i] = {
          doubles(slot.value), doubles(slot.low), doubles(slot.high),
          std::span<std::uint8_t>(reinterpret_cast<std::uint8_t*>(base + slot.assigned), slot.elements)};
    }
    const Call call{shared.dimensions.data(), tensors.data(), shared.regime.data(), shared.seed,
                    shared.fills != 0};
    Exploration exploration(std::move(outputs));
    g_exploration = &exploration;
    g_names = &stated_->tensors;
    shared.failed = 0;
    if (setjmp(g_failed) == 0) {
      exploration.begin();
      do module_->entry()(reinterpret_cast<const metal::EntryArguments*>(&call));
      while (exploration.again());
    } else {
      shared.failed = 1;
      shared.failed_at = reinterpret_cast<std::uintptr_t>(g_failed_at);
      shared.say(g_failure);
    }
    g_taken.clear();
    g_taken_bytes = 0;
    shared.apart_count = 0;
    auto* apart = reinterpret_cast<Apart*>(base + shared.free);
    const std::size_t room = (shared_.size() - shared.free) / sizeof(Apart);
    for (const auto& [place, stretches] : exploration.apart()) {
      for (const Stretch& one : stretches) {
        if (shared.apart_count < room) apart[shared.apart_count++] = {place.first, place.second, one};
      }
    }
    g_exploration = nullptr;
    shared.answered.store(done + 1);
    process::wake(shared.answered);
  }
}

void ReferenceProcess::ask(const Problem& problem, const std::string& regime, std::uint64_t seed,
                           bool fills) {
  Memory& shared = memory();
  if (shared.ended.load() != 0) fail(shared.said());
  const auto answer = [&] {
    for (auto last = shared.answered.load(); last != asked_->number && shared.ended.load() == 0;
         last = shared.answered.load())
      process::wait_for_change(shared.answered, last, kLookAround_ms);
  };
  answer();  // somebody who was stopped may have asked, and not waited for it
  if (asked_->free > kKeptBytes) shared_.forget_from(sizeof(Memory));
  std::uint64_t at = sizeof(Memory);
  const auto take = [&](std::size_t bytes) {
    at = (at + 63) / 64 * 64;
    const std::uint64_t begin = at;
    if (bytes > shared_.size() - at)
      throw properties::Unjudgeable("the problem is too large for the process that runs the reference");
    at += bytes;
    return begin;
  };
  for (std::size_t i = 0; i < stated_->dimensions.size(); ++i)
    shared.dimensions[i] = properties::dim(problem.dims, stated_->dimensions[i].name);
  for (std::size_t i = 0; i < stated_->tensors.size(); ++i) {
    const StatedTensor& stated = stated_->tensors[i];
    Memory::Slot& slot = asked_->slots[i];
    slot = {};
    std::vector<std::size_t> shape;
    if (stated.access != StatedTensor::Access::out) {
      const Tensor& tensor = assay::input(problem, stated.name);
      shape = tensor.shape;
      slot.data = take(tensor.data.size());
      std::memcpy(shared_.data() + slot.data, tensor.data.data(), tensor.data.size());
    }
    if (stated.access != StatedTensor::Access::in) {
      const auto output = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                       [&](const OutputSpec& one) { return one.name == stated.name; });
      shape = output->shape;
    }
    slot.elements = 1;
    slot.axes = static_cast<std::uint32_t>(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      slot.shape[axis] = static_cast<long>(shape[axis]);
      slot.elements *= shape[axis];
    }
    if (stated.access == StatedTensor::Access::in) continue;
    for (std::uint64_t* one : {&slot.value, &slot.low, &slot.high})
      *one = take(slot.elements * sizeof(double));
    slot.assigned = take(slot.elements);
    std::memset(shared_.data() + slot.assigned, 0, slot.elements);
  }
  asked_->free = take(0);
  shared.slots = asked_->slots;
  shared.free = asked_->free;
  shared.fills = fills ? 1 : 0;
  shared.seed = seed;
  shared.regime = {};
  std::memcpy(shared.regime.data(), regime.data(), std::min(regime.size(), shared.regime.size() - 1));
  shared.asked.store(++asked_->number);
  process::wake(shared.asked);
  answer();
  if (shared.ended.load() != 0) fail(shared.said());
  if (shared.failed == 0) return;
  const auto place = module_->place_of(shared.failed_at);
  if (place.line == 0) fail(shared.said());
  throw ReferenceFailure(fmt::format("{}: {}", to_text(place), shared.said()));
}

void ReferenceProcess::fill(const std::string& regime, std::uint64_t seed, Problem& problem) {
  const std::lock_guard lock(one_at_a_time_);
  ask(problem, regime, seed, true);
  for (std::size_t i = 0; i < stated_->tensors.size(); ++i) {
    if (stated_->tensors[i].access == StatedTensor::Access::out) continue;
    Tensor& tensor = assay::input(problem, stated_->tensors[i].name);
    std::memcpy(tensor.data.data(), shared_.data() + asked_->slots[i].data, tensor.data.size());
  }
}

std::vector<Expectation> ReferenceProcess::solve(const Problem& problem) {
  const std::lock_guard lock(one_at_a_time_);
  ask(problem, "", 0, false);
  const std::byte* const base = shared_.data();
  const std::size_t most_apart = (shared_.size() - asked_->free) / sizeof(Apart);
  const std::size_t apart_count = std::min<std::size_t>(memory().apart_count, most_apart);
  std::vector<Expectation> expected;
  for (std::size_t i = 0; i < stated_->tensors.size(); ++i) {
    const StatedTensor& stated = stated_->tensors[i];
    if (stated.access == StatedTensor::Access::in) continue;
    const Memory::Slot& slot = asked_->slots[i];
    const auto* assigned = reinterpret_cast<const std::uint8_t*>(base + slot.assigned);
    if (const auto* missing = std::find(assigned, assigned + slot.elements, 0);
        missing != assigned + slot.elements)
      fail(fmt::format("reference() assigns nothing to element {} of {}, in row-major order",
                       missing - assigned, stated.name));
    const auto all = [&](std::uint64_t at) {
      const auto* from = reinterpret_cast<const double*>(base + at);
      return std::vector<double>(from, from + slot.elements);
    };
    Expectation one{.tensor = stated.name,
                    .value = all(slot.value),
                    .low = all(slot.low),
                    .high = all(slot.high),
                    .signed_zero = !is_integer(stated.dtype),
                    .bound = "derived from " + stated_->reference.filename().string()};
    for (double& end : one.low) end = rounded(stated.dtype, end);
    for (double& end : one.high) end = rounded(stated.dtype, end);
    for (std::size_t j = 0; j < apart_count; ++j) {
      Apart apart;
      std::memcpy(&apart, base + asked_->free + j * sizeof apart, sizeof apart);
      if (apart.tensor != i || apart.element >= slot.elements) continue;
      const Stretch& right = apart.right;
      one.apart.push_back({static_cast<std::size_t>(apart.element), right.value,
                           rounded(stated.dtype, right.low), rounded(stated.dtype, right.high)});
      if (right.overflowed && one.bound.find(kOverflows) == std::string::npos)
        one.bound += fmt::format("{} element {}", kOverflows, apart.element);
    }
    expected.push_back(std::move(one));
  }
  return expected;
}

namespace {

[[noreturn]] void give_up(std::string what, const void* at) {
  g_failure = std::move(what);
  g_failed_at = at;
  longjmp(g_failed, 1);
}

}  // namespace
}  // namespace assay::oracle

// What references call (stdlib/assay/reference/choices.h, tensors.h, values.h).
extern "C" {

__attribute__((used)) void* assay_reference_take(unsigned long bytes) {
  if (bytes > assay::oracle::kMostTaken - assay::oracle::g_taken_bytes)
    assay::oracle::give_up("the reference takes more memory than there is for it",
                           __builtin_return_address(0));
  assay::oracle::g_taken_bytes += bytes;
  return assay::oracle::g_taken.emplace_back(bytes).data();
}
__attribute__((used)) void assay_reference_give_back() {
  if (assay::oracle::g_taken.empty())
    assay::oracle::give_up("the reference gives back memory that it has not", __builtin_return_address(0));
  assay::oracle::g_taken_bytes -= assay::oracle::g_taken.back().size();
  assay::oracle::g_taken.pop_back();
}

__attribute__((used)) unsigned assay_reference_choose(unsigned count) {
  return assay::oracle::g_exploration->choose(count);
}
__attribute__((used)) void assay_reference_begin() { assay::oracle::g_exploration->begin(); }
__attribute__((used)) bool assay_reference_again() { return assay::oracle::g_exploration->again(); }
__attribute__((used)) void assay_reference_cannot_say() { assay::oracle::g_exploration->cannot_say(); }

__attribute__((used)) void assay_reference_assign(unsigned tensor, long element, double value, double low,
                                                  double high) {
  if (!assay::oracle::g_exploration->assign(tensor, static_cast<std::size_t>(element), {value, low, high}))
    assay::oracle::give_up("an output has no such element", __builtin_return_address(0));
}

__attribute__((used)) void assay_reference_overflow(unsigned tensor, long element, double special) {
  if (!assay::oracle::g_exploration->overflow(tensor, static_cast<std::size_t>(element), special))
    assay::oracle::give_up("an output has no such element", __builtin_return_address(0));
}

__attribute__((used, noreturn)) void assay_reference_fail(const char* what, unsigned tensor,
                                                          const long* indices, unsigned count) {
  const std::string at = count == 0 ? "" : fmt::format("[{}]", fmt::join(indices, indices + count, ", "));
  assay::oracle::give_up(fmt::format("{}{} {}", assay::oracle::g_names->at(tensor).name, at, what),
                         __builtin_return_address(0));
}

}  // extern "C"
