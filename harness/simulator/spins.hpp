// Lanes that look at one thing again and again, and those of their simdgroup that have gone on past it.
//
// The lanes of a simdgroup share one program counter on the processors that Metal runs on: those that have
// left a loop need not go on before all others have left it. So a lane that waits in a loop for one of them
// may wait for ever, as with a lock that each lane takes in turn. A lane that does its work within the loop,
// and leaves it then, has nobody wait for it outside.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "harness/simulator/lane.hpp"

namespace assay::simulator {

class Spins {
 public:
  /// A threadgroup of so many lanes begins.
  void begin(std::uint32_t lanes);

  /// A lane has come to an atomic operation at `site`.
  void meets(std::uint32_t lane, CallSite site);
  /// It is done, and changed memory, or only looked and saw `value`.
  void met(std::uint32_t lane, std::uint64_t value, bool changed);

  /// Whether a lane has just looked where it is, and changed nothing: it may wait for another thread.
  bool looks_again(std::uint32_t lane) const { return lane < lanes_.size() && lanes_[lane].looks > 0; }
  /// Whether a lane goes round and round where it is, and sees the same.
  bool spins(std::uint32_t lane) const { return lane < lanes_.size() && lanes_[lane].looks >= kLooks; }
  /// Whether `other` has gone on past the place of a lane that spins more often than that lane itself.
  bool is_past(std::uint32_t other, std::uint32_t lane) const;

 private:
  /// Shorter loops may as well be done.
  static constexpr std::uint32_t kLooks = 8;

  struct OfLane {
    CallSite at;
    std::uint64_t seen = 0;
    std::uint32_t looks = 0;                                    ///< one after another, with nothing new
    std::vector<std::pair<CallSite, std::uint64_t>> left = {};  ///< how often it has gone on past a place
  };

  static std::uint64_t times_left(const OfLane& lane, CallSite site);

  std::vector<std::pair<CallSite, bool>>
      waits_;                  ///< places that were asked for: whether their loops only wait
  std::vector<OfLane> lanes_;  ///< those that have come to an atomic operation, by index
};

}  // namespace assay::simulator
