#include "harness/simulator/compute_unit.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

// clang 14 does not define __SANITIZE_ADDRESS__.
#if defined(ASSAY_UNDER_SANITIZER) && !defined(ASSAY_UNDER_THREAD_SANITIZER)
#define ASSAY_UNDER_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

#include "harness/sandbox/fault_watch.hpp"
#include "harness/simulator/address_space.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/flushing.hpp"
#include "harness/simulator/rendezvous.hpp"
#include "harness/simulator/schedule.hpp"

extern "C" {
__thread assay_lane_t* assay_lane = nullptr;
__thread char* assay_threadgroup_memory = nullptr;
}

namespace assay::simulator {
namespace {

namespace context = boost::context::detail;

// A stack: 256 KiB and a page below it that nothing may touch. Tops are staggered, so that the lanes' frames
// do not all fall into the same cache sets.
constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kStackPitch = kStackBytes + kGuardBytes;
constexpr std::size_t kMaxBound = 64, kMaxTextures = 31, kMaxSamplers = 16;
static_assert(sizeof(metal::EntryArguments) + 2 * kMaxBound * sizeof(void*) +
                  kMaxTextures * sizeof(metal::TextureState) + kMaxSamplers * sizeof(metal::SamplerState) <=
              4096);

// Asked for anew after a kernel has run: its address may not stay in a register meanwhile.
[[gnu::noinline]] Lane* running_lane() { return reinterpret_cast<Lane*>(assay_lane); }

// Between calls, as far down as a function's frame goes.
#if defined(__x86_64__)
constexpr std::uintptr_t kReturnAddressBytes = sizeof(void*);  // that a call puts below it
[[gnu::always_inline]] inline std::uintptr_t stack_pointer() {
  std::uintptr_t at = 0;
  __asm__ volatile("movq %%rsp, %0" : "=r"(at));
  return at;
}
#elif defined(__aarch64__)
constexpr std::uintptr_t kReturnAddressBytes = 0;
[[gnu::always_inline]] inline std::uintptr_t stack_pointer() {
  std::uintptr_t at = 0;
  __asm__ volatile("mov %0, sp" : "=r"(at));
  return at;
}
#else
#error "the stack pointer of this processor is not known here"
#endif

std::size_t stagger(std::size_t i) { return i * 192 % 4096; }

constexpr std::size_t aligned(std::size_t n) { return (n + 4095) / 4096 * 4096; }
constexpr std::size_t kLanesBytes = aligned(sizeof(Lane) * kMaxThreads);
constexpr std::size_t kGroupsBytes = aligned(sizeof(Simdgroup) * kMaxSimdgroups);
constexpr std::size_t kHeaderBytes = kLanesBytes + kGroupsBytes + 4096;
constexpr std::size_t kUnitBytes = kHeaderBytes + kStackPitch * kMaxThreads;

}  // namespace

ComputeUnit::ComputeUnit() {
  void* got =
      mmap(nullptr, kUnitBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    throw device::DeviceError("there is no memory for the stacks of the simulated threads");
  memory_ = static_cast<std::byte*>(got);
  frames_.resize(kMaxThreads);
  lanes_ = reinterpret_cast<Lane*>(memory_);
  groups_ = reinterpret_cast<Simdgroup*>(memory_ + kLanesBytes);
  arguments_ = reinterpret_cast<metal::EntryArguments*>(memory_ + kLanesBytes + kGroupsBytes);
  bound_ = reinterpret_cast<void**>(arguments_ + 1);
  stacks_ = memory_ + kHeaderBytes;
  sandbox::name_guards({reinterpret_cast<std::uintptr_t>(stacks_), kStackPitch, kGuardBytes, kMaxThreads},
                       "the stack of a thread (256 KiB) overflows");
  window_ = AddressSpace::instance().acquire_window();
}

ComputeUnit::~ComputeUnit() {
  AddressSpace::instance().release_window(window_);
  sandbox::forget_guards(reinterpret_cast<std::uintptr_t>(stacks_));
#ifdef ASSAY_UNDER_ADDRESS_SANITIZER
  // Frames of lanes that were given up; to the sanitizer they would be in what is mapped here next.
  ASAN_UNPOISON_MEMORY_REGION(memory_, kUnitBytes);
#endif
  munmap(memory_, kUnitBytes);
}

void ComputeUnit::prepare(const Launch& launch, device::Size3 position) {
  const auto threads = launch.threads;
  // The last threadgroups of a grid given in threads are cut to what is left of it.
  const auto left = [](std::uint32_t total, std::uint32_t at, std::uint32_t size) {
    return std::min(size, total - at * size);
  };
  const device::Size3 size = {left(launch.grid_threads.x, position.x, threads.x),
                              left(launch.grid_threads.y, position.y, threads.y),
                              left(launch.grid_threads.z, position.z, threads.z)};
  launch_ = &launch;
  position_ = position;
  count_ = size.x * size.y * size.z;
  group_count_ = (count_ + kWidth - 1) / kWidth;
  expected_ = count_;
  arrived_ = 0;
  mixed_ = faulted_lane_ = abandoned_ = false;
  aside_ = nullptr;
  ahead_ = nullptr;
  polls_ = 0;
  spins_.begin(count_);
  inactive_sites_.clear();
  for (std::uint32_t g = 0; g < group_count_; ++g) {
    auto& group = groups_[g];
    group.index = g;
    group.first = lanes_ + g * kWidth;
    group.size = group.expected = std::min(kWidth, count_ - g * kWidth);
    group.gate.epoch = 0;
    group.now = group.next = {};
    group.synchronised = {0, 0};
  }
  std::uint32_t i = 0;
  for (std::uint32_t z = 0; z < size.z; ++z) {
    for (std::uint32_t y = 0; y < size.y; ++y) {
      for (std::uint32_t x = 0; x < size.x; ++x, ++i) {
        Lane& lane = lanes_[i];
        Simdgroup& group = groups_[i / kWidth];
        lane.simdgroup = &group;
        lane.next = i % kWidth + 1 == group.size ? group.first : &lane + 1;
        lane.unit = this;
        lane.gate = &open_;
        lane.met = 0;
        lane.early = 0;
        lane.done = lane.leaves = lane.failed_weakly = false;
        lane.operand = kNoOperand;
        lane.view = {{position.x * threads.x + x, position.y * threads.y + y, position.z * threads.z + z},
                     {x, y, z},
                     {position.x, position.y, position.z},
                     {size.x, size.y, size.z},
                     {launch.threadgroups.x, launch.threadgroups.y, launch.threadgroups.z},
                     {launch.grid_threads.x, launch.grid_threads.y, launch.grid_threads.z},
                     i,
                     i % kWidth,
                     i / kWidth,
                     group_count_,
                     0,
                     0,
                     nullptr,
                     0,
                     {},
                     0};
      }
    }
  }
  const std::size_t buffers = std::min(launch.buffers.size(), kMaxBound);
  std::copy_n(launch.buffers.begin(), buffers, bound_);
  for (std::size_t t = 0; t < std::min(launch.threadgroup_offsets.size(), kMaxBound); ++t) {
    bound_[kMaxBound + t] = window_ + launch.threadgroup_offsets[t];
  }
  auto* const textures = reinterpret_cast<metal::TextureState*>(bound_ + 2 * kMaxBound);
  auto* const samplers = reinterpret_cast<metal::SamplerState*>(textures + kMaxTextures);
  std::copy_n(launch.textures.begin(), std::min(launch.textures.size(), kMaxTextures), textures);
  std::copy_n(launch.samplers.begin(), std::min(launch.samplers.size(), kMaxSamplers), samplers);
  *arguments_ = {bound_, bound_ + kMaxBound, textures, samplers, {threads.x, threads.y, threads.z}};
  std::copy_n(lanes_[0].view.threadgroup_position, 3, main_.view.threadgroup_position);
}

ComputeUnit::Progress ComputeUnit::run(const Launch& launch, device::Size3 position) {
  prepare(launch, position);
  copies_.clear();
  assay_threadgroup_memory = reinterpret_cast<char*>(window_);
  if (launch.checker != nullptr) launch.checker->begin_threadgroup(*this);
  if (launch.counters != nullptr) launch.counters->begin_threadgroup(*this);
  free_stacks_.clear();
  for (std::uint32_t s = count_; s-- > 0;) free_stacks_.push_back(s);
  const Flushing flushing(launch.flushes);
  switch_to(main_, lanes_[0]);
  return state();
}

ComputeUnit::Progress ComputeUnit::go_on() {
  assay_threadgroup_memory = reinterpret_cast<char*>(window_);
  if (launch_->checker != nullptr) launch_->checker->go_on_with(*this);
  const Flushing flushing(launch_->flushes);
  switch_to(main_, *std::exchange(aside_, nullptr));
  return state();
}

ComputeUnit::Progress ComputeUnit::state() {
  assay_lane = nullptr;
  if (launch_->checker != nullptr) launch_->checker->settle_writes();  // before its memory is another's
  if (aside_ != nullptr) return Progress::set_aside;
  if (launch_->checker != nullptr && !abandoned_) {
    compare_matrix_operations({});
    compare_group_operations({});
  }
  if (launch_->counters != nullptr) launch_->counters->end_threadgroup(*this, {lanes_, count_});
  return abandoned_ ? Progress::given_up : Progress::finished;
}

void ComputeUnit::set_aside(Lane& lane) {
  aside_ = &lane;
  polls_ = 0;
  switch_to(lane, main_);
}

void ComputeUnit::note_progress() {
  polls_ = 0;
  if (launch_->schedule != nullptr) launch_->schedule->progress();
}

void ComputeUnit::start_fiber(Lane& lane) {
  const auto stack = free_stacks_.back();
  free_stacks_.pop_back();
  std::byte* base = stacks_ + kStackPitch * stack;
  for (; guarded_ <= stack; ++guarded_) mprotect(stacks_ + kStackPitch * guarded_, kGuardBytes, PROT_NONE);
#ifdef ASSAY_UNDER_ADDRESS_SANITIZER
  // A lane that was given up has left its frames; to the sanitizer they would still be there.
  ASAN_UNPOISON_MEMORY_REGION(base, kStackPitch);
#endif
  lane.view.context =
      context::make_fcontext(base + kStackPitch - stagger(stack), kStackBytes - stagger(stack), fiber_main);
  lane.view.stack = stack;
}

void ComputeUnit::fiber_main(context::transfer_t from) {
  static_cast<assay_lane_t*>(from.data)->context = from.fctx;
  auto* lane = reinterpret_cast<Lane*>(assay_lane);
  run_lanes_from(lane);
}

// Body of a fiber: its lane, then every lane that has not begun and comes next. What this function keeps in
// registers while a kernel runs, the kernel's frame saves, where the kernel may write: nothing is kept.
void ComputeUnit::run_lanes_from(Lane* lane) {
  for (;;) {
    run_kernel();
    lane = running_lane();
    ComputeUnit& unit = *lane->unit;
    unit.settle(*lane);
    unit.finish_lane(*lane);
    const auto stack = lane->view.stack;
    Lane* next = unit.next_able(*lane);
    if (next != nullptr && !next->begun()) {
      assay_lane = &next->view;
      next->view.stack = stack;
      next->view.context = unit.main_.view.context;  // begun; overwritten as soon as it waits
      continue;
    }
    unit.free_stacks_.push_back(stack);  // nothing runs on it after the switch
    unit.switch_to(*lane, next != nullptr ? *next : unit.main_);
  }
}

// The entry's frame begins below the address to which it returns. See run_lanes_from().
[[gnu::noinline]] void ComputeUnit::run_kernel() {
  ComputeUnit& unit = *running_lane()->unit;
  unit.frames_[running_lane()->view.stack] = stack_pointer() - kReturnAddressBytes;
  unit.launch_->module->entry()(unit.arguments_);
}

bool ComputeUnit::is_private(const Lane& lane, std::uintptr_t address, std::size_t size_bytes,
                             std::uintptr_t lowest) const {
  const auto base = reinterpret_cast<std::uintptr_t>(stacks_) + kStackPitch * lane.view.stack + kGuardBytes;
  const std::uintptr_t begin = std::max(base, lowest), end = frames_[lane.view.stack];
  return address >= begin && address < end && size_bytes <= end - address;
}

bool ComputeUnit::holds(std::uintptr_t address) const {
  return address - reinterpret_cast<std::uintptr_t>(memory_) < kUnitBytes;
}

bool ComputeUnit::may_read(const Lane& lane, std::uintptr_t address, std::size_t size_bytes) const {
  const auto within = [&](const void* object, std::size_t bytes) {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(object);
    return offset < bytes && size_bytes <= bytes - offset;
  };
  return within(&lane.view, offsetof(assay_lane_t, matrix_operations)) ||
         within(&lane.simdgroup->results, sizeof lane.simdgroup->results) || within(arguments_, 4096);
}

void ComputeUnit::end_lane(Lane& lane) {
  faulted_lane_ = true;
  finish_lane(lane);
  Lane* next = next_able(lane);
  switch_to(lane, next != nullptr ? *next : main_);
  __builtin_unreachable();
}

void ComputeUnit::finish_lane(Lane& lane) {
  auto& group = *lane.simdgroup;
  lane.done = true;
  ++invocations_;
  lane.met = open_.epoch;  // a gate that never opens again
  lane.gate = &open_;
  note_progress();
  --expected_;
  --group.expected;
  if (group.now.arrived != 0 && group.now.arrived == group.expected && !group.now.mixed) {
    complete_simdgroup(group);
  }
  if (arrived_ != 0 && arrived_ == expected_) complete_threadgroup();
}

// The lane to go on with when `lane` cannot: the next of its simdgroup, the first of any other. Null at the
// end.
Lane* ComputeUnit::next_able(Lane& lane) {
  for (Lane* l = lane.next; l != &lane; l = l->next) {
    if (!l->waits()) return l;
  }
  Lane* able = first_able();
  return able != nullptr ? able : resolve();
}

Lane* ComputeUnit::first_able() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (!lanes_[i].waits()) return &lanes_[i];
  }
  return nullptr;
}

std::string ComputeUnit::name_of(std::uint32_t thread) const {
  return fmt::format("thread {} (simdgroup {}, lane {}) of threadgroup ({}, {}, {})", thread, thread / kWidth,
                     thread % kWidth, position_.x, position_.y, position_.z);
}

}  // namespace assay::simulator
