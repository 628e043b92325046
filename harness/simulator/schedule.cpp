#include "harness/simulator/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace assay::simulator {
namespace {

constexpr std::size_t kMostResident = 64;
// Polls without any change after which every thread that can run has long had its turn.
constexpr std::uint64_t kHopeless = 200'000;
constexpr std::uint64_t kTurn = 64;  // polls after which others are let in

}  // namespace

Schedule::Schedule(std::uint64_t seed, std::uint64_t count, std::vector<std::unique_ptr<ComputeUnit>>& units,
                   std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)> start)
    : state_(seed),
      interleave_(seed != 0),
      long_turns_(seed % 3 == 2),
      count_(count),
      resident_limit_(seed == 0 ? 1 : 1 + seed % 8),
      units_(units),
      start_(std::move(start)) {
  for (auto& unit : units_) free_.push_back(unit.get());
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

std::uint64_t Schedule::begins(std::uint64_t index) const { return (first_ + index * step_) % count_; }

// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
std::uint64_t Schedule::random() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

bool Schedule::interrupt(bool synchronises) {
  if (!interleave_) return false;
  if (long_turns_) return random() % (synchronises ? 2 : 256) == 0;
  return random() % 4 == 0;
}

std::uint64_t Schedule::late_by(std::uint64_t changes) {
  if (!interleave_ || changes == 0 || random() % 4 != 0)
    return 0;  // most are not: who polls shall come to an end
  return 1 + random() % changes;
}

bool Schedule::poll() { return ++idle_polls_ > kHopeless; }

bool Schedule::run() {
  bool whole = true;
  while (next_ < count_ || !aside_.empty()) {
    // Everybody polls: more threadgroups must come to the machine, as far as it has room.
    if (idle_polls_ > kTurn && resident_limit_ < kMostResident)
      resident_limit_ = std::min(resident_limit_ * 2, kMostResident);
    const bool may_start = next_ < count_ && aside_.size() < resident_limit_;
    const std::size_t choices = aside_.size() + (may_start ? 1 : 0);
    std::size_t choice = 0;
    if (long_turns_) {
      choice = may_start && random() % 2 == 0 ? aside_.size() : 0;  // the one that has waited longest
    } else if (interleave_) {
      choice = random() % choices;
    } else {
      choice = idle_polls_ > kTurn && may_start ? aside_.size() : 0;
    }
    ComputeUnit* unit = nullptr;
    ComputeUnit::Progress progress;
    if (choice == aside_.size()) {
      if (free_.empty()) {
        units_.push_back(std::make_unique<ComputeUnit>());
        free_.push_back(units_.back().get());
      }
      unit = free_.back();
      free_.pop_back();
      progress = start_(*unit, begins(next_++));
    } else {
      unit = aside_[choice];
      aside_.erase(aside_.begin() + static_cast<std::ptrdiff_t>(choice));
      progress = unit->go_on();
    }
    if (progress == ComputeUnit::Progress::set_aside) {
      aside_.push_back(unit);
      continue;
    }
    free_.push_back(unit);
    idle_polls_ = 0;
    if (progress == ComputeUnit::Progress::given_up) {
      whole = false;
      break;  // what the others would wait for may never come
    }
  }
  return whole;
}

}  // namespace assay::simulator
