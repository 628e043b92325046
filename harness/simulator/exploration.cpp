#include "harness/simulator/exploration.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace assay::simulator {

using device::Situation;
using device::Touch;
using device::Waiting;

void Exploration::begin_launch() {
  depth_ = 0;
  planned_ = path_.size();
  redundant_ = diverged_ = forced_ = false;
}

bool Exploration::dependent(const std::vector<Touch>& a, const std::vector<Touch>& b) const {
  return std::any_of(a.begin(), a.end(), [&](const Touch& one) {
    // Fences do nothing that others could see but to loads.
    if (one.address == device::kFenceOrder && !order_fences_) return false;
    return std::any_of(b.begin(), b.end(), [&](const Touch& other) {
      return one.address == other.address && (one.writes || other.writes);
    });
  });
}

// Of those that sleep ahead of the last step, or have been run in its place, those that it does not wake.
Exploration::Set Exploration::sleeping(const Situation& situation) const {
  if (depth_ == 0) return 0;
  const Step& last = path_[depth_ - 1];
  Set sleep = (last.sleep | last.done) & ~bit(last.threadgroup);
  for (const Waiting& one : situation.aside) {
    if (dependent(one.touches, last.touches)) sleep &= ~bit(one.threadgroup);
  }
  return sleep;
}

std::size_t Exploration::next(const Situation& situation) {
  const auto& aside = situation.aside;
  if (situation.more) return aside.size();  // up to their first steps they do nothing that others could see
  const auto index_of = [&](std::uint64_t threadgroup) {
    return static_cast<std::size_t>(
        std::find_if(aside.begin(), aside.end(),
                     [&](const Waiting& one) { return one.able && one.threadgroup == threadgroup; }) -
        aside.begin());
  };
  Set able = 0;
  for (const Waiting& one : aside) {
    if (one.able) able |= bit(one.threadgroup);
  }
  forced_ = able == 0;
  if (forced_) return 0;  // whoever has waited longest looks again
  if (depth_ == planned_) {
    const Set sleep = sleeping(situation), awake = able & ~sleep;
    if (awake == 0) {
      redundant_ = true;
      return kNobody;
    }
    Step step;
    step.able = able;
    step.sleep = sleep;
    // Who went on last, if it can: fewer are to be switched.
    const bool same = depth_ > 0 && (awake & bit(path_[depth_ - 1].threadgroup)) != 0;
    step.threadgroup =
        same ? path_[depth_ - 1].threadgroup : static_cast<std::uint32_t>(std::countr_zero(awake));
    step.plan = bit(step.threadgroup);
    path_.push_back(std::move(step));
    ++planned_;
  }
  Step& step = path_[depth_];
  const std::size_t index = index_of(step.threadgroup);
  if (index == aside.size() || step.able != able) {
    diverged_ = true;
    return kNobody;
  }
  ++depth_;
  step.touches = aside[index].touches;
  loads_ |= std::any_of(step.touches.begin(), step.touches.end(), [](const Touch& touch) {
    return touch.address != device::kFenceOrder && !touch.writes;
  });
  return index;
}

std::size_t Exploration::value(std::size_t count) {
  if (forced_ || depth_ == 0) return 0;
  Step& step = path_[depth_ - 1];
  step.values = count;
  return std::min(step.value, count - 1);
}

std::vector<device::Decision> Exploration::decisions() const {
  std::vector<device::Decision> all;
  for (std::size_t i = 0; i < depth_; ++i) all.push_back({path_[i].threadgroup, path_[i].value});
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
  std::vector<std::optional<std::size_t>> last(kMostThreadgroups);
  // By address: who has touched it, and wrote it. Most addresses of partial sums are touched by few.
  std::unordered_map<std::uint64_t, std::vector<std::pair<std::size_t, bool>>> touched;
  for (std::size_t j = 0; j < depth_; ++j) {
    Step& step = path_[j];
    auto& own = last[step.threadgroup];
    step.before.assign(kMostThreadgroups, 0);
    if (own) step.before = path_[*own].before;
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
      for (std::size_t t = 0; t < kMostThreadgroups; ++t)
        step.before[t] = std::max(step.before[t], other.before[t]);
    }
    step.before[step.threadgroup] = static_cast<std::uint32_t>(j + 1);
    own = j;
    for (const std::size_t i : races) plan_reversal(i, j);
  }
}

bool Exploration::advance() {
  if (loads_ && !order_fences_) {  // from the beginning, now that fences count
    path_.clear();
    order_fences_ = true;
    schedules_ = 0;
    return true;
  }
  if (!redundant_) ++schedules_;
  path_.resize(depth_);
  plan_reversals();
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
