// The barriers that a threadgroup has passed of late: a report of a race says which lay between its accesses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/simulator/lane.hpp"

namespace assay::simulator {

/// The last kRemembered of them; older ones are forgotten. Costs a few stores a barrier.
class BarrierLog {
 public:
  static constexpr std::size_t kRemembered = 64;

  struct Passed {
    std::uint32_t clock = 0;      ///< of the checker: what happened before has a lower one
    std::uint32_t simdgroup = 0;  ///< kNoSimdgroup: the whole threadgroup
    std::uint32_t flags = 0;      ///< of mem_flags: bit 0 device memory, bit 1 threadgroup memory
    CallSite site{};
  };

  void add(const Passed& one) { ring_[count_++ % kRemembered] = one; }
  void clear() { count_ = 0; }
  bool has_forgotten() const { return count_ > kRemembered; }

  std::vector<Passed> oldest_first() const {
    std::vector<Passed> all;
    for (std::size_t i = has_forgotten() ? count_ - kRemembered : 0; i < count_; ++i)
      all.push_back(ring_[i % kRemembered]);
    return all;
  }

 private:
  std::array<Passed, kRemembered> ring_{};
  std::size_t count_ = 0;
};

}  // namespace assay::simulator
