#include "harness/simulator/planned_decisions.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace assay::simulator {
namespace {

/// Operations in a row of the one that is ahead, before another does one: it may poll for what others change.
constexpr std::uint32_t kAheadFor = 256;

constexpr std::uint64_t bit(std::uint64_t threadgroup) { return std::uint64_t{1} << threadgroup; }

std::size_t first_able(std::span<const Waiting> aside) {
  const auto able = std::find_if(aside.begin(), aside.end(), [](const Waiting& one) { return one.able; });
  return static_cast<std::size_t>(able - aside.begin());
}

}  // namespace

PlannedDecisions::PlannedDecisions(device::PlannedSchedule& schedule)
    : plan_(schedule.plan), record_(schedule.record) {
  record_ = {};
}

std::uint64_t PlannedDecisions::begins(std::uint64_t index, std::uint64_t count) const {
  if (plan_.order == Order::zigzag) return device::zigzag(plan_.which, index, count);
  return plan_.order == Order::backwards ? count - 1 - index : index;
}

bool PlannedDecisions::sets_aside(bool) { return !one_by_one(); }

std::size_t PlannedDecisions::next(const Situation& situation) {
  if (one_by_one()) {
    const std::size_t able = first_able(situation.aside);
    // Who waits for nothing any more goes on before another begins. Where all wait and all have begun, the
    // one that has waited longest looks again.
    return able == situation.aside.size() && !situation.more ? 0 : able;
  }
  if (takes_turns()) return in_turn(situation);
  if (situation.more) return situation.aside.size();  // up to its first step it does nothing that others see
  return plan_.order == Order::said ? said(situation) : explored(situation);
}

// Of those aside the first has waited longest.
std::size_t PlannedDecisions::in_turn(const Situation& situation) {
  const auto& aside = situation.aside;
  if (situation.more && aside.size() < device::kMostInFlight) return aside.size();
  const bool named = in_its_turn_ >= plan_.after;
  const bool ahead = named && plan_.order == Order::ahead && ahead_for_ < kAheadFor;
  const bool behind = named && plan_.order == Order::behind;
  std::size_t chosen = aside.size();
  for (std::size_t i = aside.size(); i-- > 0;) {
    const bool is_it = aside[i].threadgroup == plan_.which;
    if (!aside[i].able || (is_it && behind && chosen != aside.size())) continue;
    chosen = i;
    if (is_it && ahead) break;
  }
  if (chosen == aside.size()) return 0;
  const bool is_it = aside[chosen].threadgroup == plan_.which;
  if (is_it) ++in_its_turn_;
  ahead_for_ = is_it ? ahead_for_ + 1 : 0;
  return chosen;
}

Turn PlannedDecisions::turn(std::size_t count) {
  return {plan_.order == Order::ahead ? 0 : count - 1, std::numeric_limits<std::uint32_t>::max()};
}

std::size_t PlannedDecisions::said(const Situation& situation) {
  const auto& aside = situation.aside;
  value_ = 0;
  const std::size_t able = first_able(aside);
  if (able == aside.size()) return 0;
  if (at_ == plan_.decisions.size()) return able;
  const device::Decision& one = plan_.decisions[at_++];
  value_ = one.value;
  const auto found = std::find_if(aside.begin(), aside.end(), [&](const Waiting& waiting) {
    return waiting.threadgroup == one.threadgroup;
  });
  // A kernel that was changed since may not get there: then any order is as good.
  return found == aside.end() ? able : static_cast<std::size_t>(found - aside.begin());
}

// Of those that sleep ahead of the last step, or have been run in its place, those that it does not wake.
std::uint64_t PlannedDecisions::sleeping(const Situation& situation) const {
  if (at_ == 0) return 0;
  const device::Step& last = record_.steps.back();
  std::uint64_t sleep = (at_ == plan_.decisions.size() ? plan_.asleep : last.sleep) & ~bit(last.threadgroup);
  for (const Waiting& one : situation.aside) {
    if (device::dependent(one.touches, last.touches, plan_.fences_count)) sleep &= ~bit(one.threadgroup);
  }
  return sleep;
}

std::size_t PlannedDecisions::explored(const Situation& situation) {
  const auto& aside = situation.aside;
  device::Step step;
  for (const Waiting& one : aside) {
    if (one.able) step.able |= bit(one.threadgroup);
  }
  forced_ = step.able == 0;
  if (forced_) return 0;  // whoever has waited longest looks again
  if (at_ < plan_.decisions.size()) {
    step.threadgroup = static_cast<std::uint32_t>(plan_.decisions[at_].threadgroup);
    step.value = plan_.decisions[at_].value;
  } else {
    step.sleep = sleeping(situation);
    const std::uint64_t awake = step.able & ~step.sleep;
    if (awake == 0) {
      record_.redundant = true;
      return kNobody;
    }
    // Who went on last, if it can: fewer are to be switched.
    const bool same = at_ > 0 && (awake & bit(record_.steps.back().threadgroup)) != 0;
    step.threadgroup =
        same ? record_.steps.back().threadgroup : static_cast<std::uint32_t>(std::countr_zero(awake));
  }
  const auto chosen = std::find_if(aside.begin(), aside.end(), [&](const Waiting& one) {
    return one.able && one.threadgroup == step.threadgroup;
  });
  if (chosen == aside.end()) {
    record_.diverged = true;
    return kNobody;
  }
  ++at_;
  step.touches = chosen->touches;
  record_.steps.push_back(std::move(step));
  return static_cast<std::size_t>(chosen - aside.begin());
}

std::size_t PlannedDecisions::value(std::size_t count) {
  if (plan_.order == Order::said) return std::min(value_, count - 1);
  if (one_by_one() || takes_turns() || forced_ || at_ == 0) return 0;
  device::Step& step = record_.steps.back();
  step.values = count;
  return std::min(step.value, count - 1);
}

}  // namespace assay::simulator
