// Counts what a launch does: barriers, matrix operations, and what moves to and from memory.
//
// A counted launch runs the code of a checked one, but the hooks lead here and nothing is checked: run a
// kernel under the checker first. docs/claims.md says what the counters are compared with.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "assay/device/counts.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/lane.hpp"

namespace assay::simulator {

using device::Counts;
using device::kLineBytes;
using device::SimdgroupWork;
using device::Traffic;

class Counters {
 public:
  /// `only_reach`: device::DeviceOptions.
  explicit Counters(bool only_reach = false) : only_reach_(only_reach) {}
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  /// `buffers` by buffer index; size 0 where nothing is bound.
  void begin_launch(const Launch& launch, const std::vector<NamedRange>& buffers);
  void end_launch();
  /// Of the last launch.
  const Counts& counts() const { return counts_; }

  void begin_threadgroup(ComputeUnit& unit);
  void end_threadgroup(ComputeUnit& unit, std::span<const Lane> lanes);
  void threadgroup_barrier(ComputeUnit& unit);
  void simdgroup_barrier(ComputeUnit& unit, const Simdgroup& group);

  /// An access of the running lane, and one of its whole simdgroup: 8 rows of 8 elements. Nothing where no
  /// launch is counted.
  static void access(std::uintptr_t address, std::size_t size_bytes, bool write,
                     std::uintptr_t return_address);
  /// Once for all simdgroups that read it together.
  static void tile_read(std::uintptr_t first, std::ptrdiff_t row_stride_bytes,
                        std::ptrdiff_t column_stride_bytes, std::uint32_t rows, std::uint32_t columns,
                        std::size_t element_bytes, std::uint32_t simdgroups);
  static void matrix_access(std::uintptr_t first, std::ptrdiff_t row_stride_bytes, std::size_t element_bytes,
                            bool write);
  /// An atomic operation: no traffic, but where memory is touched.
  static void atomic(std::uintptr_t address, std::size_t size_bytes);

 private:
  /// Part of an access that lies in one line.
  struct Fragment {
    std::uintptr_t begin, end;
    std::size_t buffer;
  };
  /// Lanes execute an instruction together when it is the same number of times that each has come to it
  /// since the last barrier.
  struct Site {
    std::array<std::uint32_t, kWidth> executions{};  ///< by lane
    std::vector<std::vector<Fragment>> together;     ///< by number of execution
  };
  struct Users {
    std::bitset<kMaxThreads> loaders, writers;
  };
  /// A threadgroup that has begun.
  struct Running {
    std::vector<std::vector<std::uint32_t>> loads;  ///< of each byte of each buffer, as far as was loaded
    std::vector<Users> buffer_users, threadgroup_users;
    std::vector<std::unordered_map<std::uintptr_t, Site>> sites;  ///< by simdgroup
  };

  Running& running();
  std::size_t buffer_at(std::uintptr_t address) const;
  void move(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t first_thread,
            std::uint32_t threads, std::vector<Fragment>* fragments);
  /// How far a buffer is touched, and nothing else.
  void reach(std::uintptr_t address, std::size_t size_bytes, bool write);
  void fetch(std::vector<Fragment>& fragments);
  void fetch_all(std::unordered_map<std::uintptr_t, Site>& sites);

  static thread_local Counters* current_;

  bool only_reach_;
  const Launch* launch_ = nullptr;
  std::vector<NamedRange> buffers_;
  std::map<const ComputeUnit*, Running> running_;
  Counts counts_;
};

}  // namespace assay::simulator
