#include "harness/simulator/exploration.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace assay::simulator {

using device::Touch;

bool Exploration::diverged() const {
  const auto& steps = schedule_.record.steps;
  if (schedule_.record.diverged || steps.size() < path_.size()) return true;
  return !std::equal(
      path_.begin(), path_.end(), steps.begin(), [](const Step& one, const device::Step& done) {
        return one.threadgroup == done.threadgroup && one.value == done.value && one.able == done.able;
      });
}

std::vector<device::Decision> Exploration::decisions() const {
  std::vector<device::Decision> all;
  for (const auto& step : schedule_.record.steps) all.push_back({step.threadgroup, step.value});
  return all;
}

// `first` happens before `second`, by a chain of steps of which neighbours are dependent or of one
// threadgroup.
bool Exploration::ordered(std::size_t first, std::size_t second) const {
  return path_[second].before[path_[first].threadgroup] > first;
}

// Of steps first < second that are dependent and next to one another but for others that could stand
// elsewhere: somebody else than `first` must be run in its place, such that `second` comes before it.
void Exploration::plan_reversal(std::size_t first, std::size_t second) {
  std::vector<std::size_t> without;  // steps that do not hang on `first`, and then `second`
  for (std::size_t k = first + 1; k < second; ++k) {
    if (!ordered(first, k)) without.push_back(k);
  }
  without.push_back(second);
  Set initials = 0, seen = 0;  // whose first step there could be the first of all
  for (std::size_t k = 0; k < without.size(); ++k) {
    const Set own = bit(path_[without[k]].threadgroup);
    if ((seen & own) != 0) continue;
    seen |= own;
    const bool first_of_all = std::none_of(without.begin(), without.begin() + static_cast<std::ptrdiff_t>(k),
                                           [&](std::size_t earlier) { return ordered(earlier, without[k]); });
    if (first_of_all) initials |= own;
  }
  Step& at = path_[first];
  if ((initials & at.plan) != 0) return;
  initials &= at.able;
  if (initials == 0) return;  // it only became able by `first`
  const Set preferred = initials & bit(path_[second].threadgroup);
  at.plan |= preferred != 0 ? preferred : initials & (~initials + 1);
}

void Exploration::plan_reversals() {
  std::size_t threadgroups = 0;
  for (const Step& step : path_) threadgroups = std::max<std::size_t>(threadgroups, step.threadgroup + 1);
  std::vector<std::optional<std::size_t>> last(threadgroups);
  // By address: who has touched it, and wrote it. Most addresses of partial sums are touched by few.
  std::unordered_map<std::uint64_t, std::vector<std::pair<std::size_t, bool>>> touched;
  for (std::size_t j = 0; j < path_.size(); ++j) {
    Step& step = path_[j];
    auto& own = last[step.threadgroup];
    if (own) {
      step.before = path_[*own].before;
    } else {
      step.before.assign(threadgroups, 0);
    }
    std::set<std::size_t, std::greater<>> earlier;  // and dependent, the last first
    for (const Touch& touch : step.touches) {
      if (touch.address == device::kFenceOrder && !order_fences_) continue;
      auto& there = touched[touch.address];
      for (const auto& [i, writes] : there) {
        if (writes || touch.writes) earlier.insert(i);
      }
      there.emplace_back(j, touch.writes);
    }
    earlier.erase(j);
    std::vector<std::size_t> races;
    for (const std::size_t i : earlier) {
      const Step& other = path_[i];
      if (other.threadgroup == step.threadgroup || ordered(i, j)) continue;
      races.push_back(i);
      for (std::size_t t = 0; t < threadgroups; ++t)
        step.before[t] = std::max(step.before[t], other.before[t]);
    }
    step.before[step.threadgroup] = static_cast<std::uint32_t>(j + 1);
    own = j;
    for (const std::size_t i : races) plan_reversal(i, j);
  }
}

// What was done again is known; the rest is new.
void Exploration::take_record() {
  const auto& steps = schedule_.record.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i < path_.size()) {
      path_[i].touches = steps[i].touches;
      path_[i].values = steps[i].values;
      continue;
    }
    Step& step = path_.emplace_back();
    static_cast<device::Step&>(step) = steps[i];
    step.plan = bit(step.threadgroup);
  }
}

void Exploration::plan() {
  auto& plan = schedule_.plan;
  plan = {.order = device::SchedulePlan::Order::explored, .fences_count = order_fences_};
  for (const Step& step : path_) plan.decisions.push_back({step.threadgroup, step.value});
  if (!path_.empty()) plan.asleep = path_.back().sleep | path_.back().done;
}

bool Exploration::advance() {
  const auto& steps = schedule_.record.steps;
  const bool loads = std::any_of(steps.begin(), steps.end(), [](const device::Step& step) {
    return std::any_of(step.touches.begin(), step.touches.end(), [](const Touch& touch) {
      return touch.address != device::kFenceOrder && !touch.writes;
    });
  });
  bool more = true;
  if (loads && !order_fences_) {  // from the beginning, now that fences count
    path_.clear();
    order_fences_ = true;
    schedules_ = 0;
  } else {
    if (!redundant()) ++schedules_;
    take_record();
    plan_reversals();
    more = advance_path();
  }
  plan();
  return more;
}

bool Exploration::advance_path() {
  while (!path_.empty()) {
    Step& step = path_.back();
    if (step.value + 1 < step.values) {
      ++step.value;
      return true;
    }
    step.done |= bit(step.threadgroup);
    const Set left = step.plan & ~step.done & ~step.sleep;
    if (left != 0) {
      step.threadgroup = static_cast<std::uint32_t>(std::countr_zero(left));
      step.value = 0;
      step.values = 1;
      return true;
    }
    path_.pop_back();
  }
  return false;
}

}  // namespace assay::simulator
