// Decisions that follow from a seed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/simulator/decisions.hpp"

namespace assay::simulator {

/// The seed says in which order threadgroups begin - ascending for every other seed, since GPUs often do but
/// do not promise it -, where one is set aside and which one goes on; the same seed gives the same run, and 0
/// a plain one. Under every third seed turns are few and long: one is mostly set aside where it synchronises,
/// and then until all others have had their turn, which finds what goes wrong between two such points (after
/// Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs", 2010). Under
/// one in three, whatever the rest, single simdgroups run ahead within their threadgroup.
class DrawnDecisions final : public Decisions {
 public:
  /// `resident`: so many threadgroups are in flight if all of them wait; 1: as many as there is room for. At
  /// times more are, as on a GPU that has room.
  DrawnDecisions(std::uint64_t seed, std::uint64_t count, std::uint32_t resident = 1);

  std::uint64_t begins(std::uint64_t index, std::uint64_t count) const override;
  bool sets_aside(bool synchronises) override;
  bool step_by_step() const override { return false; }
  std::size_t next(const Situation& situation) override;
  bool runs_ahead() const override { return runs_ahead_; }
  Turn turn(std::size_t count) override;
  std::size_t value(std::size_t count) override;

 private:
  static std::uint64_t random(std::uint64_t& state);
  std::uint64_t random() { return random(state_); }

  std::uint64_t state_;
  std::uint64_t turns_;  ///< a stream of its own: turns of simdgroups change nothing between threadgroups
  bool runs_ahead_ = false;
  bool interleave_;
  bool long_turns_;
  std::uint64_t first_ = 0, step_ = 1;  ///< threadgroups begin in steps, modulo their count
  std::size_t resident_limit_, most_resident_;
};

}  // namespace assay::simulator
