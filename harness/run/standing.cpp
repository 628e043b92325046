#include "harness/run/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/verify/numbers.hpp"

namespace assay::run {
namespace {

/// Of its cases, what a run must have done before its end is guessed from them.
constexpr double kLeastShare = 0.05;

double seconds_between(StandingBook::Clock::time_point from, StandingBook::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// The mean of some runs' seconds.
struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(double one) {
    sum += one;
    ++count;
  }
  double value() const { return sum / static_cast<double>(count); }
};

}  // namespace

std::size_t StandingBook::add(Mode mode) {
  runs_.push_back({mode});
  return runs_.size() - 1;
}

void StandingBook::at(std::size_t run, const std::string& kernel, std::uint64_t index, std::uint64_t of,
                      Clock::time_point now) {
  auto& one = runs_.at(run);
  if (!one.since) one.since = now;
  one.index = std::max(one.index, std::min(index, of));  // a case that is shrunk is tried again and again
  one.of = of;
  current_ = fmt::format("{} {}, case {} of {}", kernel, name_of(one.mode), grouped(std::min(index + 1, of)),
                         grouped(of));
}

void StandingBook::ended(std::size_t run, std::uint64_t cases, double seconds) {
  auto& one = runs_.at(run);
  one.took = seconds;
  cases_ += cases;
}

Standing StandingBook::standing(Clock::time_point now) const {
  Standing standing;
  standing.cases = cases_;
  standing.of = runs_.size();
  standing.seconds = seconds_between(begun_, now);
  standing.current = current_;
  std::map<Mode, Mean> by_mode;
  Mean all;
  double left = 0;
  std::vector<Mode> waiting;
  for (const auto& run : runs_) {
    double whole = 0;
    if (run.took) {
      ++standing.runs;
      whole = *run.took;
    } else {
      standing.cases += run.index;
      const double share = run.of == 0 ? 0 : static_cast<double>(run.index) / static_cast<double>(run.of);
      if (share < kLeastShare) {
        waiting.push_back(run.mode);
        continue;
      }
      const double so_far = seconds_between(*run.since, now);
      whole = so_far / share;
      left += whole - so_far;
    }
    by_mode[run.mode].add(whole);
    all.add(whole);
  }
  if (all.count == 0) return standing;
  for (const Mode mode : waiting) {
    const auto known = by_mode.find(mode);
    left += known == by_mode.end() ? all.value() : known->second.value();
  }
  const auto at_once = std::min<std::size_t>(std::max(1U, jobs_), standing.of - standing.runs);
  standing.left_s = at_once == 0 ? 0 : left / static_cast<double>(at_once);
  return standing;
}

}  // namespace assay::run
