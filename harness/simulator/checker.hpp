// Watches every access of a launch: races, accesses out of bounds, reads of what nobody wrote.
//
// Each unit of memory (2 bytes, or 1 where the kernel touches single bytes) has a record of its last write
// and its last reads, stamped with the launch's event clock. The clock ticks at every barrier. An access is
// ordered before mine if it is my own, or of an earlier launch, or of my threadgroup and before my last
// threadgroup barrier, or of my simdgroup and before my last simdgroup barrier - barriers whose flags name
// the memory in question. Two accesses that nothing orders, one of them a write, are a race.
//
// The work of one simdgroup's matrix operation is that of an agent of its own (the simdgroup as a whole),
// so a lane that has just written what the operation loads races with it unless a barrier lies between.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "assay/device/texture.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/simulator/alignment.hpp"
#include "harness/simulator/atomic_history.hpp"
#include "harness/simulator/barrier_log.hpp"
#include "harness/simulator/device_order.hpp"
#include "harness/simulator/lane.hpp"
#include "harness/simulator/never_left.hpp"
#include "harness/simulator/private_variables.hpp"

namespace assay::simulator {

struct Launch;

/// Record of one unit. `by` packs agent (11 bits) and place (21 bits). Clock values below kFirstClock mean:
enum : std::uint32_t {
  kUnallocated = 0,  ///< no object lies here
  kUndefined = 1,    ///< allocated, never written
  kWrittenByHost = 2,
  kFirstClock = 16,
};
struct ShadowCell {
  std::uint32_t write_clock, write_by, read_clock, read_by;
};

/// A buffer or a texture of the launch, for reports.
struct NamedRange {
  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;
  std::string name;
  std::optional<device::TextureShape> texture = {};
  bool coherent = true;  ///< across threadgroups: what one has written another may read
};

/// Between launches, and where a launch is counted rather than checked, it hands accesses on to Counters.
class Checker {
 public:
  Checker() = default;

  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// A buffer comes (its bytes undefined), is written by the host, becomes undefined again, goes. Of a large
  /// one only records are kept that a launch has touched: of all others it is known what the host wrote.
  void allocated(std::uintptr_t address, std::size_t size_bytes);
  void uploaded(std::uintptr_t address, std::size_t size_bytes);
  void forgotten(std::uintptr_t address, std::size_t size_bytes);
  void released(std::uintptr_t address);

  void begin_launch(const Launch& launch, std::vector<NamedRange> buffers);
  void end_launch();
  void begin_threadgroup(ComputeUnit& unit);
  /// Another threadgroup of the launch goes on, or a new one begins (begin_threadgroup).
  void go_on_with(ComputeUnit& unit);
  /// All threads of the running threadgroup, or of one of its simdgroups, have passed a barrier at `site`.
  void threadgroup_barrier(std::uint32_t flags, CallSite site);
  void simdgroup_barrier(Simdgroup& group, std::uint32_t flags, CallSite site);

  /// One access of the running lane. Reports; does not return if the lane cannot go on.
  void access(std::uintptr_t address, std::size_t size_bytes, bool write, std::uintptr_t return_address,
              std::uintptr_t lowest);
  template <std::size_t Bytes, bool Write>
  void access_fixed(std::uintptr_t address, std::uintptr_t return_address);

  /// What faults are put in order by (device::Fault::moment). All that happens between two barriers has one
  /// moment, but for what comes before it: moment() - 1 is free.
  std::uint64_t moment() const { return moment_of(clock_); }
  /// Just after the last barrier that the running threadgroup has passed as a whole, before all that came
  /// since.
  std::uint64_t moment_of_barrier() const { return moment_of(now_->last_barrier) - 1; }
  /// Whether the running threadgroup, or that simdgroup of it, has passed the barrier there before: among the
  /// latest that are remembered (BarrierLog::kRemembered).
  bool has_passed(std::uint32_t simdgroup, CallSite site) const;

  /// Looks at what the stores have left that raced with others, but for so many of the latest. To be called
  /// when a lane has stopped running.
  void settle_writes(std::size_t but_the_last = 0);

  /// A variable of the running lane's own begins without a value, or ends. The one of number `odd` holds
  /// other garbage than the rest: what changes with it depends on it.
  void private_begins(void* at, std::size_t size_bytes, std::uint32_t number, const char* name,
                      CallSite site);
  void private_ends(void* at) { private_.ends(reinterpret_cast<std::uintptr_t>(at)); }

  /// The matrix access of a whole simdgroup: 8 rows of 8 elements.
  void matrix_access(std::uintptr_t first, std::ptrdiff_t row_stride_bytes, std::size_t element_bytes,
                     bool write, CallSite site);

  /// The running lane needs an element of its registers that has no value.
  void no_value(CallSite site);

  /// A read by a whole simdgroup of a tile of elements.
  void tile_read(std::uintptr_t first, std::ptrdiff_t row_stride_bytes, std::ptrdiff_t column_stride_bytes,
                 std::uint32_t rows, std::uint32_t columns, std::size_t element_bytes, CallSite site);

  // Atomics and fences of the running lane: checker_atomics.cpp.
  /// Before an atomic operation: may it touch the object? Atomics do not race among themselves.
  void atomic_access(std::uintptr_t address, std::size_t size_bytes, bool reads, bool writes, CallSite site);
  /// Before an operation that reads and writes an object in threadgroup memory that holds `newest`: the value
  /// that it finds, if it comes before another lane's store, which nothing orders before it. That store is
  /// late, and its value stays. Then overtook() says what the operation would have left.
  std::optional<std::uint64_t> overtakes(std::uintptr_t address, std::uint64_t newest, std::uint32_t order,
                                         CallSite site);
  void overtook(std::uintptr_t address, std::uint64_t left, CallSite site);
  /// After a load of an object that holds `value`: what it gives, which may be an older value.
  std::uint64_t atomic_loaded(std::uintptr_t address, std::uint64_t value, std::uint32_t order,
                              CallSite site);
  /// After an operation that found `before` and left `after`.
  void atomic_written(std::uintptr_t address, std::uint64_t before, std::uint64_t after, bool reads,
                      std::uint32_t order, CallSite site);
  /// atomic_thread_fence(flags, order, scope) of the running lane.
  void fence(std::uint32_t flags, std::uint32_t order, std::uint32_t scope);

  /// Who stored each byte of a range of device memory last in this launch.
  std::vector<device::Writer> writers(std::uintptr_t address, std::size_t size_bytes) const;

  /// An index outside an array's declared bounds, as the compiler's own check found it.
  [[noreturn]] ASSAY_NEVER_LEFT static void index_out_of_bounds(const std::string& message,
                                                                device::SourcePlace place);
  /// An address that does not suit the type behind it. The access goes on.
  static void misaligned(std::uintptr_t address, const PointedTo& type, const device::SourcePlace& place);

  /// The checker of the launch that runs on this OS thread.
  static constinit thread_local Checker* current;

 private:
  struct Space {
    std::uint32_t floor = 0;    ///< accesses before this clock are ordered before everything here
    std::uint32_t defined = 0;  ///< writes before this clock do not initialise
    std::uint32_t barrier = 0;  ///< clock of the last threadgroup barrier that orders this memory
    std::uint32_t mine = 0;     ///< what happened from here on is this threadgroup's doing
  };

  /// What is kept of a threadgroup while others run.
  struct Running {
    ThreadgroupOrder order;
    std::uint32_t start = 0;
    std::uint32_t last_barrier = 0;  ///< that all of its threads have passed, whatever memory it names
    Space spaces[2];
    std::vector<NamedRange> objects;  ///< its threadgroup memory, as marked in the shadow
    std::unordered_map<std::uintptr_t, AtomicHistory> atomics;  ///< by address, in that memory
    std::unordered_map<std::uint32_t, std::uint32_t>
        local_fences;  ///< clock of a lane's last one over that memory
    BarrierLog barriers;
  };
  /// From `clock` on, threadgroup `number` ran.
  struct Segment {
    std::uint32_t clock = 0, number = 0;
  };
  /// A read of a cell that several threadgroups have read.
  struct Reader {
    std::uint32_t clock = 0, by = 0;
  };

  /// What is known of a large buffer beside its records.
  struct Large {
    std::map<std::uintptr_t, std::uintptr_t> host_wrote;  ///< addresses, begin and end, disjoint
    bool launched = false;                                ///< there may be records
    bool hidden = false;                                  ///< from this launch, which does not bind it
  };

  static bool inside(std::uintptr_t address, std::size_t size_bytes);
  ShadowCell* cell(std::uintptr_t address) const;
  unsigned unit_bytes() const { return 1u << unit_shift_; }
  void mark(std::uintptr_t address, std::size_t size_bytes, std::uint32_t state);
  /// The large buffer that holds the address; null where none does.
  Large* large_at(std::uintptr_t address);
  void look_up_large(ShadowCell& cell, std::uintptr_t address) const;
  void set_unit(unsigned unit_bytes);
  void restart_clock();
  /// Buffers that this launch does not bind are no memory of its: their records say that nothing lies there.
  void hide_unbound();
  void show_hidden();
  bool is_live(std::uintptr_t address) const;
  void forget_launches(std::uintptr_t address, std::size_t size_bytes);
  void forget_threadgroup_memory();
  bool quick(std::uint32_t clock, std::uint32_t by, unsigned space, std::uint32_t me) const;
  ASSAY_NEVER_LEFT void read_slow(ShadowCell& cell, unsigned space, std::uint32_t by, std::uintptr_t address);
  ASSAY_NEVER_LEFT void write_slow(ShadowCell& cell, unsigned space, std::uint32_t by,
                                   std::uintptr_t address);
  void read(ShadowCell& cell, unsigned space, std::uint32_t by, std::uintptr_t address);
  void write(ShadowCell& cell, unsigned space, std::uint32_t by, std::uintptr_t address);
  bool ordered(std::uint32_t clock, std::uint32_t by, unsigned space, std::uint32_t me) const;
  bool still_plain(std::uint32_t clock, std::uint32_t by, unsigned space, std::uint32_t me) const;
  bool before_lane(std::uint32_t lane, std::uint32_t clock, std::uint32_t me) const;

  /// The lane whose atomics have touched a cell since what is ordered before them; kAtomic: several.
  struct Doer {
    std::uint32_t clock = 0, lane = 0;
  };
  using Doers = std::unordered_map<const ShadowCell*, Doer>;
  void note_doer(Doers& doers, std::uintptr_t address, std::size_t size_bytes);
  /// Is what was done to the cell, by an atomic, the doing of the lane whose plain access comes now, or of
  /// one of another threadgroup that fences order before it?
  bool is_before(const Doers& doers, const ShadowCell& cell, std::uint32_t by, std::uint32_t me) const;
  void touch(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t by);
  void run_access(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t by);
  /// `lowest`: down to where the stack of the code that asks is its own.
  ASSAY_NEVER_LEFT void foreign(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t by,
                                std::uintptr_t lowest);
  bool is_constant(std::uintptr_t address, std::size_t size_bytes) const;
  void private_access(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t by);
  std::uint64_t running_lane() const;

  static std::uint64_t moment_of(std::uint32_t clock) { return 2 * std::uint64_t{clock} + 1; }
  std::uint32_t pack(std::uint32_t agent, std::uintptr_t return_address) const;
  std::uint32_t pack(std::uint32_t agent, CallSite site);
  device::SourcePlace place_of(std::uint32_t by) const;
  std::string agent_name(std::uint32_t by, std::uint32_t clock) const;
  std::string object_name(std::uintptr_t address, std::uintptr_t* offset = nullptr) const;
  /// "`part` at byte 12"; of a texture the texel too.
  std::string object_place(std::uintptr_t address) const;
  device::Access describe(std::uint32_t by, std::uint32_t clock, bool write) const;
  void describe_barriers(device::Fault& fault, std::uint32_t me, std::uint32_t them,
                         std::uint32_t clock) const;
  /// `read_races`: beside the other write, reads before it race with mine too.
  void report_race(const ShadowCell& cell, bool mine_writes, bool other_writes, std::uint32_t by,
                   std::uintptr_t address, bool read_races = false);
  std::string missing_order(const device::Fault& fault, std::uintptr_t address, const char* accesses) const;
  std::uint32_t unit_at(std::uintptr_t address) const;
  void note_old_value(const AtomicHistory::Change& change, std::uint32_t by, std::uintptr_t address);
  bool is_coherent(std::uintptr_t address) const;
  void report_incoherent(const ShadowCell& cell, std::uint32_t by, std::uintptr_t address);
  void report_unwritten(const PrivateVariables::Unwritten& found, std::size_t size_bytes, std::uint32_t by);
  void report_undefined(std::uint32_t by, std::uintptr_t address);
  [[noreturn]] ASSAY_NEVER_LEFT void report_out_of_bounds(std::uintptr_t address, bool write,
                                                          std::uint32_t by);
  void layout_threadgroup_memory(const Launch& launch);
  void set_current(ComputeUnit& unit);
  std::uint32_t owner_of(std::uint32_t clock) const;
  bool readers_ordered(const ShadowCell& cell, std::uint32_t me) const;
  void remember_reader(ShadowCell& cell, std::uint32_t clock, std::uint32_t by);

  /// A store that is about to overwrite what another has stored, while nothing orders the two.
  struct RacingWrite {
    static constexpr std::size_t kMost = 4096;       ///< that are kept; then the earlier ones are settled
    static constexpr std::size_t kOfAnAccess = 256;  ///< units of one access, at most

    std::uint64_t key = 0;  ///< of its fault
    std::uintptr_t address = 0;
    std::uint32_t by = 0, found = 0;  ///< by whom, and what the unit held before
  };

  std::vector<RacingWrite> racing_writes_;  ///< that have not been settled
  PrivateVariables private_;
  const Launch* launch_ = nullptr;
  bool meeting_ = false;  ///< the kernel has atomics, by which its threadgroups may be ordered
  ComputeUnit* unit_ = nullptr;
  std::uintptr_t window_ = 0;  ///< threadgroup memory of the running threadgroup
  std::uintptr_t module_begin_ = 0;
  mutable const metal::ConstantRange* last_constant_ = nullptr;  ///< that was read
  mutable std::size_t last_segment_ = 0;                         ///< that owner_of() found
  unsigned unit_shift_ = 1;
  std::uint32_t clock_ = kFirstClock;
  std::uint32_t launch_start_ = kFirstClock;
  std::uint32_t threadgroup_start_ = kFirstClock;
  std::uint32_t threadgroups_ = 0;  ///< begun in this launch
  std::map<ComputeUnit*, Running> running_;
  Running* now_ = nullptr;
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> positions_;  ///< in the grid, of the threadgroups of this launch as they began
  std::unordered_map<std::uintptr_t, AtomicHistory> atomics_;  ///< by address, in device memory
  std::uint64_t overtaken_ = 0;                                ///< the store that overtakes() found
  Doers atomic_reads_, atomic_writes_;
  SequentialFences sequential_;
  /// Of cells read by several threadgroups: the latest of each, by its number.
  std::unordered_map<const ShadowCell*, std::unordered_map<std::uint32_t, Reader>> readers_;
  Space spaces_[2];                             ///< device, threadgroup
  std::map<std::uintptr_t, std::size_t> live_;  ///< device buffers: address and size
  std::map<std::uintptr_t, Large> large_;       ///< those of them that are
  std::vector<NamedRange> buffers_;             ///< those of this launch
  /// What records of others, which are no large ones, said before it began: by address.
  std::map<std::uintptr_t, std::vector<std::uint32_t>> hidden_;
  std::vector<const char*> files_;
};

}  // namespace assay::simulator
