#include "harness/simulator/drawn_decisions.hpp"

#include <algorithm>
#include <numeric>

namespace assay::simulator {
namespace {

// Turns of a simdgroup, in operations: from one of each lane to more than most threadgroups do.
constexpr std::uint32_t kShortestTurn = 32, kTurnLengths = 10;
constexpr std::uint64_t kTurns = 0xA0761D6478BD642Fu;  // tells the streams of one seed apart

}  // namespace

DrawnDecisions::DrawnDecisions(std::uint64_t seed, std::uint64_t count, std::uint32_t resident)
    : state_(seed),
      turns_(seed ^ kTurns),
      runs_ahead_(seed != 0 && random(turns_) % 3 == 0),
      interleave_(seed != 0),
      long_turns_(seed % 3 == 2),
      resident_limit_(seed == 0 ? 1 : 1 + seed % 8),
      most_resident_(resident > 1 ? std::min(resident, device::kMostInFlight) : device::kMostInFlight) {
  const std::uint64_t order = seed / 8 % 4;  // seed % 8 says how many are resident
  if (count < 2 || count >> 32 != 0) return;
  if (order == 2) {
    first_ = step_ = count - 1;
  } else if (order == 3) {
    first_ = seed / 32 % count;
    step_ = 1 + seed / 64 % count;
    while (std::gcd(step_, count) != 1) ++step_;
  }
}

std::uint64_t DrawnDecisions::begins(std::uint64_t index, std::uint64_t count) const {
  return (first_ + index * step_) % count;
}

// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
std::uint64_t DrawnDecisions::random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

bool DrawnDecisions::sets_aside(bool synchronises) {
  if (!interleave_) return false;
  if (long_turns_) return random() % (synchronises ? 2 : 256) == 0;
  return random() % 4 == 0;
}

// What a threadgroup decides is mostly read by its first or its last simdgroup, which have the first and the
// last thread: each gets a quarter of the turns, and its share of the others.
Turn DrawnDecisions::turn(std::size_t count) {
  const std::uint64_t chosen = random(turns_), length = random(turns_);
  const std::size_t simdgroup = chosen % 4 == 0   ? 0
                                : chosen % 4 == 1 ? count - 1
                                                  : static_cast<std::size_t>((chosen >> 2) % count);
  return {simdgroup, kShortestTurn << (length % kTurnLengths)};
}

std::size_t DrawnDecisions::value(std::size_t count) {
  if (!interleave_ || random() % 4 != 0) return 0;  // most are not late: who polls shall come to an end
  return 1 + random() % (count - 1);
}

std::size_t DrawnDecisions::next(const Situation& situation) {
  const std::size_t aside = situation.aside.size();
  // Everybody polls: more threadgroups must come to the machine, as far as it has room.
  if (situation.idle)
    resident_limit_ = std::max(resident_limit_, std::min(resident_limit_ * 2, most_resident_));
  const bool may_start = situation.more && aside < resident_limit_;
  if (long_turns_) return may_start && random() % 2 == 0 ? aside : 0;  // the one that has waited longest
  if (interleave_) return random() % (aside + (may_start ? 1 : 0));
  return situation.idle && may_start ? aside : 0;
}

}  // namespace assay::simulator
