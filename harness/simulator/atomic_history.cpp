#include "harness/simulator/atomic_history.hpp"

#include <algorithm>

#include "harness/simulator/agent.hpp"

namespace assay::simulator {
namespace {

// A load that is late by more than so many changes shows nothing that it would not show by fewer.
constexpr std::size_t kRemembered = 8;

}  // namespace

void SequentialFences::note(std::uint32_t clock, std::uint32_t threadgroup, const OrderedBefore& released) {
  for (const auto& [ordered, reach] : released.all()) passed_[ordered].push_back({clock, reach});
  last_[threadgroup] = clock;
}

bool SequentialFences::covers(std::uint32_t threadgroup, std::uint32_t clock, std::uint32_t agent,
                              const ThreadgroupOrder& reader) const {
  std::uint32_t mine = 0;
  for (const auto& [number, last] : last_) {
    if (number == reader.number || reader.latest(number) != 0) mine = std::max(mine, last);
  }
  const auto passed = passed_.find(threadgroup);
  return passed != passed_.end() &&
         std::any_of(passed->second.begin(), passed->second.end(),
                     [&](const Passed& one) { return one.clock < mine && one.reach.covers(clock, agent); });
}

void AtomicHistory::expect(std::uint64_t before) {
  if (value(newest()) == before) return;
  while (!changes_.empty()) forget_first();
  value_ = before;
}

void AtomicHistory::add(Change change) {
  changes_.push_back(std::move(change));
  if (changes_.size() > kRemembered) forget_first();
}

void AtomicHistory::forget_first() {
  Change& first = changes_.front();
  value_ = first.value;
  if (first.store) {
    published_ = std::move(first.released);
  } else {
    published_.join(first.released);
  }
  changes_.erase(changes_.begin());
  ++forgotten_;
  std::erase_if(sightings_, [&](const Sighting& one) { return one.number <= forgotten_; });
}

std::uint64_t AtomicHistory::oldest_for(const ThreadgroupOrder& reader, std::uint32_t lane,
                                        const SequentialFences& fences) const {
  std::uint64_t oldest = forgotten_;
  for (std::uint64_t number = newest(); number > forgotten_; --number) {
    const Change& one = change(number);
    // What its own threadgroup did counts as seen, though barriers need not have said so.
    if (one.threadgroup == reader.number ||
        reader.covers(one.threadgroup, one.clock, agent_of(one.by), lane) ||
        fences.covers(one.threadgroup, one.clock, agent_of(one.by), reader)) {
      oldest = number;
      break;
    }
  }
  for (const Sighting& one : sightings_) {
    if (one.threadgroup == reader.number || one.clock < reader.latest(one.threadgroup))
      oldest = std::max(oldest, one.number);
  }
  return oldest;
}

std::uint64_t AtomicHistory::oldest_for(const BeforeMe& before_me) const {
  std::uint64_t oldest = forgotten_;
  for (std::uint64_t number = newest(); number > forgotten_; --number) {
    const Change& one = change(number);
    if (!before_me(one.threadgroup, one.clock)) continue;
    oldest = number;
    break;
  }
  for (const Sighting& one : sightings_) {
    if (before_me(one.threadgroup, one.clock)) oldest = std::max(oldest, one.number);
  }
  return oldest;
}

std::uint64_t AtomicHistory::store_after(std::uint64_t oldest) const {
  for (std::uint64_t number = oldest + 1; number <= newest(); ++number) {
    if (change(number).store) return number;
  }
  return 0;
}

void AtomicHistory::add_before(std::uint64_t number, Change change) {
  for (Sighting& one : sightings_) one.number += one.number >= number ? 1 : 0;
  changes_.insert(changes_.begin() + static_cast<std::ptrdiff_t>(number - forgotten_ - 1), std::move(change));
  if (changes_.size() > kRemembered) forget_first();
}

std::uint64_t AtomicHistory::value(std::uint64_t number) const {
  return number == forgotten_ ? value_ : change(number).value;
}

OrderedBefore AtomicHistory::published(std::uint64_t number) const {
  OrderedBefore all = published_;
  for (std::uint64_t n = forgotten_ + 1; n <= number; ++n) {
    if (change(n).store) all = {};
    all.join(change(n).released);
  }
  return all;
}

void AtomicHistory::seen(std::uint32_t threadgroup, std::uint32_t clock, std::uint64_t number) {
  if (number == forgotten_) return;
  const bool known = std::any_of(sightings_.begin(), sightings_.end(), [&](const Sighting& one) {
    return one.threadgroup == threadgroup && one.number >= number;
  });
  if (!known) sightings_.push_back({threadgroup, clock, number});
}

}  // namespace assay::simulator
