// One core of the simulated GPU: runs whole threadgroups, each thread a fiber.
//
// Lanes switch straight to one another: a lane that has to wait resumes the next lane that can run, lane 0
// first after a barrier. A fiber whose lane has ended takes up the next lane that has not begun, so kernels
// without barriers run as a plain loop.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/simulator/fault_log.hpp"
#include "harness/simulator/lane.hpp"
#include "harness/simulator/never_left.hpp"
#include "harness/simulator/pending_copies.hpp"
#include "harness/simulator/spins.hpp"

namespace assay::simulator {

class Checker;
class Counters;
class Schedule;
class UndefinedResults;

/// What all threadgroups of one launch share.
struct Launch {
  const metal::KernelModule* module = nullptr;
  std::vector<void*> buffers;                      ///< by buffer index
  std::vector<metal::TextureState> textures;       ///< by texture index
  std::vector<metal::SamplerState> samplers;       ///< by sampler index
  std::vector<std::size_t> threadgroup_offsets;    ///< of [[threadgroup(i)]] in the window
  std::vector<std::size_t> threadgroup_sizes;      ///< and how long they are
  device::Size3 threads;                           ///< per threadgroup
  device::Size3 threadgroups;                      ///< in the grid
  device::Size3 grid_threads;                      ///< in the grid; not a multiple of `threads` when partial
  std::optional<std::uint32_t> odd_variable = {};  ///< device::Dispatch::odd_variable
  bool flushes = false;                            ///< subnormal operands and results of arithmetic
  FaultLog* faults = nullptr;
  UndefinedResults* undefined = nullptr;
  Checker* checker = nullptr;    ///< null but in checked mode
  Counters* counters = nullptr;  ///< null but in counted mode
  Schedule* schedule = nullptr;  ///< of threadgroups that meet; null where the kernel has no atomics
};

/// What a lane does where threadgroups, or the lanes of one, may meet.
struct Operation {
  CallSite site;
  std::uintptr_t address = 0;    ///< of the atomic object; 0: a fence
  std::uint32_t size_bytes = 0;  ///< of the object
  bool writes = false;           ///< it may; else a load
  bool device_memory = false;    ///< rather than the threadgroup's
  bool synchronises = false;     ///< a fence, or it reads and writes
  bool sequential = false;       ///< a fence that is sequentially consistent with all others
  bool is_fence() const { return address == 0; }
};

class ComputeUnit {
 public:
  ComputeUnit();
  ~ComputeUnit();
  ComputeUnit(const ComputeUnit&) = delete;
  ComputeUnit& operator=(const ComputeUnit&) = delete;

  enum class Progress { finished, set_aside, given_up };

  /// Runs one threadgroup on the calling thread, to its end or until the launch's schedule sets it aside.
  Progress run(const Launch& launch, device::Size3 position);
  /// Goes on with a threadgroup that was set aside.
  Progress go_on();

  std::byte* window() const { return window_; }

  /// Threads that ended since this was last asked.
  std::uint64_t take_invocations() { return std::exchange(invocations_, 0); }

  // From here on: called by lanes of the running threadgroup.
  /// Notes an arrival at a barrier; returns the lane to go on with, begun, which may be the same.
  Lane& threadgroup_arrive(Lane& lane, std::uint32_t flags, CallSite site);
  Lane& simdgroup_arrive(Lane& lane, std::uint32_t flags, CallSite site);
  /// Arrives at a simdgroup barrier behind which the lane does nothing but matrix operations, which are lane
  /// 0's, up to the next simdgroup barrier: it goes on and waits for both there.
  void simdgroup_arrive_early(Lane& lane, std::uint32_t flags, CallSite site);
  /// Goes on with `to`; returns when somebody goes on with the running lane.
  void resume(Lane& lane, Lane& to);
  const void* collective(Lane& lane, const void* value, std::uint32_t size, std::uint64_t* active,
                         CallSite site);

  /// The running lane is at an atomic operation or a fence: lets other lanes run first, and other
  /// threadgroups where the schedule says so (Schedule::interrupt()).
  void meet(Lane& lane, const Operation& operation);
  /// The atomic operation is done, and gave `value`; `changed` memory, or only looked.
  void met(Lane& lane, const Operation& operation, std::uint64_t value, bool changed);

  PendingCopies& copies() { return copies_; }

  /// Ends the running lane after a fault that it cannot survive. Does not return.
  [[noreturn]] ASSAY_NEVER_LEFT void end_lane(Lane& lane);

  /// An operation of so many simdgroups, where the threadgroup has another number of them.
  /// What the running lane does has a result that Metal leaves undefined.
  void report_undefined(const Lane& lane, CallSite site, const std::string& message);
  void report_simdgroups(const Lane& lane, std::uint32_t simdgroups, CallSite site);
  /// The lane is given the value of lane `from` of its simdgroup, which takes no part.
  void note_inactive_read(const Lane& lane, std::uint32_t from, CallSite site);

  /// Is this memory the running lane's own: of its stack what the kernel uses, from `lowest` (the stack
  /// pointer of the code that asks) to the frame of the kernel's entry?
  bool is_private(const Lane& lane, std::uintptr_t address, std::size_t size_bytes,
                  std::uintptr_t lowest) const;
  /// Is it memory of the unit at all: stacks, and the records of lanes?
  bool holds(std::uintptr_t address) const;
  /// May the lane's code read there: its position, what its last collective gave, the table of what is bound?
  bool may_read(const Lane& lane, std::uintptr_t address, std::size_t size_bytes) const;

  const Launch& launch() const { return *launch_; }
  device::Size3 position() const { return position_; }
  /// "thread 37 (simdgroup 1, lane 5) of threadgroup (0, 1, 0)"
  std::string name_of(std::uint32_t thread) const;

 private:
  /// A barrier at `site` that `arrived` of the lanes first .. first + size - 1 have come to; 0: each waits
  /// somewhere, but not all of them here.
  struct Divergence {
    const Gate* gate;
    CallSite site;
    const Lane* first;
    std::uint32_t size, arrived;
    const char* scope;
  };

  ASSAY_NEVER_LEFT static void fiber_main(boost::context::detail::transfer_t from);
  void prepare(const Launch& launch, device::Size3 position);
  ASSAY_NEVER_LEFT static void run_lanes_from(Lane* lane);
  static void run_kernel();
  ASSAY_NEVER_LEFT void switch_to(Lane& from, Lane& to);
  void start_fiber(Lane& lane);
  Lane& arrive(Lane& lane, CallSite site, bool is_barrier, std::uint32_t flags);
  Lane& begin(Lane* next);
  Progress state();
  void set_aside(Lane& lane);
  void note_progress();
  void let_others_go(Lane& lane, bool spins);
  void run_ahead(Lane& lane);
  void draw_turn();
  static Lane* able_lane(const Simdgroup& group);
  bool need_not_go_on(const Lane& other, const Lane& before) const;
  std::string awaited(const Lane& lane, const Operation& operation) const;
  static void note_arrival(Meeting& meeting, Lane& lane, CallSite site, bool is_barrier, std::uint32_t flags);
  static void note_first(Meeting& meeting, const Lane& lane, std::uint32_t flags);
  void settle(Lane& lane);
  void wait_for_early(Lane& lane);
  void finish_lane(Lane& lane);
  Lane* first_able();
  Lane* next_able(Lane& lane);
  Lane* resolve();
  bool release_collectives(Simdgroup& group);
  void complete_simdgroup(Simdgroup& group);
  void complete_threadgroup();
  void gather(Simdgroup& group, std::uint64_t active);
  void compare_operands(const Simdgroup& group, std::uint64_t active);
  const Lane* waiting_at(const Gate& gate) const;
  void report_divergence();
  void report_divergence(const Simdgroup& group);
  void report_divergence(const Divergence& at);
  void compare_matrix_operations(CallSite site);
  void compare_group_operations(CallSite site);
  void report_matrix_operations(const Lane& odd_one, std::uint32_t others, std::uint32_t its, CallSite site);

  PendingCopies copies_;
  std::byte* memory_ = nullptr;
  std::byte* window_ = nullptr;
  std::byte* stacks_ = nullptr;
  Lane* lanes_ = nullptr;
  Simdgroup* groups_ = nullptr;
  void** bound_ = nullptr;  ///< buffers, then threadgroup memory arguments
  metal::EntryArguments* arguments_ = nullptr;

  const Launch* launch_ = nullptr;
  device::Size3 position_;
  Lane main_{};
  Gate open_{1};   ///< lanes that can run have met 0 of it
  Gate gate_;      ///< of the threadgroup barrier
  CallSite site_;  ///< of the threadgroup barrier that lanes wait at
  std::uint32_t flags_ = 0;
  std::vector<std::uint32_t> free_stacks_;
  std::vector<std::uintptr_t> frames_;  ///< of stacks: one past what the kernel that runs there may touch
  std::uint32_t guarded_ = 0;           ///< stacks whose guard pages are set
  std::uint32_t count_ = 0;             ///< lanes
  std::uint32_t group_count_ = 0;
  std::uint32_t expected_ = 0;  ///< lanes that have not ended
  std::uint32_t arrived_ = 0;   ///< at the threadgroup barrier
  bool mixed_ = false;
  bool faulted_lane_ = false;  ///< a lane was ended by a fault: what is missing at barriers is its doing
  bool abandoned_ = false;
  Lane* aside_ = nullptr;  ///< the lane to go on with, while the threadgroup is set aside
  std::uint64_t invocations_ = 0;
  Spins spins_;
  std::vector<CallSite> inactive_sites_;  ///< of reads of inactive lanes that this threadgroup has told of
  const Simdgroup* ahead_ = nullptr;      ///< the simdgroup whose turn it is, where they run ahead
  std::uint32_t turn_left_ = 0;           ///< atomics and fences that are left of its turn
  std::uint32_t polls_ = 0;               ///< atomics of this threadgroup since anything changed
};

}  // namespace assay::simulator
