#include "harness/simulator/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/device/grouped.hpp"
#include "harness/metal/module/loop_place.hpp"
#include "harness/metal/module/module.hpp"

namespace assay::simulator {
namespace {

// Polls without any change after which every thread that can run has long had its turn.
constexpr std::uint64_t kHopeless = 200'000;
constexpr std::uint64_t kTurn = 64;  // polls after which others are let in
// So often a thread looks at the same thing, and sees the same, before that counts as looking again.
constexpr std::uint32_t kUnrolled = 2;
// Looks again of a threadgroup after which it waits: loops that give up by themselves look less often.
constexpr std::uint32_t kPatience = 2'000;

std::uint64_t value_at(std::uintptr_t address, std::uint32_t size_bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), size_bytes);
  return value;
}

}  // namespace

Schedule::Schedule(Decisions& decisions, std::uint64_t count,
                   std::vector<std::unique_ptr<ComputeUnit>>& units,
                   std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)> start)
    : decisions_(decisions),
      step_by_step_(decisions.step_by_step()),
      runs_ahead_(decisions.runs_ahead()),
      count_(count),
      units_(units),
      start_(std::move(start)) {
  for (auto& unit : units_) free_.push_back(unit.get());
}

// The running threadgroup is at what one of its threads has seen again and again.
bool Schedule::repeats() const {
  const auto known = running_.seen.find(running_.look);
  return known != running_.seen.end() && known->second.times >= kUnrolled;
}

// Would it see something else if it looked again?
bool Schedule::has_news(const Flight& flight) {
  return std::any_of(flight.seen.begin(), flight.seen.end(), [](const auto& one) {
    return value_at(std::get<2>(one.first), one.second.size_bytes) != one.second.value;
  });
}

bool Schedule::interrupt_at_barrier(bool device_memory) {
  return !step_by_step_ && decisions_.sets_aside(device_memory);
}

bool Schedule::interrupt(const Lane& lane, const Operation& operation) {
  if (!step_by_step_) return decisions_.sets_aside(operation.synchronises);
  if (operation.is_fence() && !operation.sequential) return false;  // its threadgroup's own affair
  running_.look = {lane.view.index_in_threadgroup, operation.site.line, operation.address};
  if (repeats() && !has_news(running_)) {
    if (++running_.again < kPatience) return false;
    running_.again = 0;
    running_.waits = true;
    running_.site = operation.site;
  } else if (!decisions_.sets_aside(operation.synchronises)) {
    return false;
  }
  note_touches(operation);
  return true;
}

void Schedule::note_touches(const Operation& operation) {
  auto& touches = running_.touches;
  touches.clear();
  if (operation.is_fence()) {
    touches.push_back({device::kFenceOrder, true});
    return;
  }
  touches.push_back({operation.address, operation.writes});
  // What a load may give depends on the fences that came before.
  if (!operation.writes) touches.push_back({device::kFenceOrder, false});
  if (!repeats()) return;
  for (const auto& [look, seen] : running_.seen) touches.push_back({std::get<2>(look), false});
}

Schedule::Poll Schedule::poll(const Operation& operation, std::uint64_t value, bool patient) {
  if (step_by_step_ && operation.device_memory) {
    const Seen seen = {value, operation.size_bytes};
    const auto [known, fresh] = running_.seen.try_emplace(running_.look, seen);
    if (!fresh && known->second.value == value) {
      ++known->second.times;
    } else if (!fresh) {
      running_.seen = {{running_.look, seen}};
      running_.again = 0;
    }
  }
  if (++idle_polls_ > kHopeless) return Poll::hopeless;
  return patient || step_by_step_ ? Poll::goes_on : Poll::others;
}

std::uint64_t Schedule::local_late_by(std::uint64_t changes) {
  return changes == 0 || step_by_step_ ? 0 : decisions_.value(changes + 1);
}

std::uint64_t Schedule::late_by(std::uint64_t changes,
                                const std::function<std::uint64_t(std::uint64_t)>& value) {
  if (changes == 0) return 0;
  if (!step_by_step_ || !repeats()) return decisions_.value(changes + 1);
  // Who looks again, and could see something else, does: it would only come back here.
  const std::uint64_t before = running_.seen.at(running_.look).value;
  std::vector<std::uint64_t> others;
  for (std::uint64_t late = 0; late <= changes; ++late) {
    if (value(late) != before) others.push_back(late);
  }
  if (others.empty()) return 0;
  return others.size() == 1 ? others.front() : others[decisions_.value(others.size())];
}

bool Schedule::only_waits(const CallSite& site) {
  const auto known =
      std::find_if(waits_.begin(), waits_.end(), [&](const auto& one) { return one.first == site; });
  if (known != waits_.end()) return known->second;
  return waits_.emplace_back(site, metal::only_waits(metal::loops_of_loaded(), {site.file, site.line}))
      .second;
}

// Step by step, what threads wait for is a change that others can see.
void Schedule::barrier_opened() {
  if (!step_by_step_) idle_polls_ = 0;
}

void Schedule::progress() {
  idle_polls_ = 0;
  running_.seen.clear();
  running_.again = 0;
}

// Those that wait for what has changed by now can go on. Whoever changed it was in flight beside all that
// waited.
void Schedule::wake(const Flight* runner_that_ended) {
  const auto waiting = static_cast<std::uint32_t>(
      std::count_if(aside_.begin(), aside_.end(), [](const Flight& one) { return one.waits; }));
  const bool runner_waits = runner_that_ended == nullptr && !aside_.empty() && aside_.back().waits;
  for (Flight& one : aside_) {
    if (!one.waits || !has_news(one)) continue;
    one.waits = false;
    const std::uint32_t in_flight = waiting + (runner_waits ? 0 : 1);
    if (in_flight <= needed_ || decisions_.crowds()) continue;
    needed_ = in_flight;
    needed_at_ = one.site;
  }
}

bool Schedule::run() {
  std::vector<Waiting> waiting;
  while (next_ < count_ || !aside_.empty()) {
    waiting.clear();
    for (const Flight& one : aside_) waiting.push_back({one.threadgroup, !one.waits, one.touches});
    const std::size_t choice = decisions_.next({waiting, next_<count_, idle_polls_> kTurn});
    if (choice == Decisions::kNobody) return false;
    ComputeUnit::Progress progress;
    if (choice == aside_.size()) {
      if (free_.empty()) {
        units_.push_back(std::make_unique<ComputeUnit>());
        free_.push_back(units_.back().get());
      }
      running_ = {};
      running_.unit = free_.back();
      free_.pop_back();
      running_.threadgroup = decisions_.begins(next_++, count_);
      progress = start_(*running_.unit, running_.threadgroup);
    } else {
      running_ = std::move(aside_[choice]);
      aside_.erase(aside_.begin() + static_cast<std::ptrdiff_t>(choice));
      running_.waits = false;
      progress = running_.unit->go_on();
    }
    const bool ended = progress != ComputeUnit::Progress::set_aside;
    if (ended) {
      free_.push_back(running_.unit);
      idle_polls_ = 0;
      if (progress == ComputeUnit::Progress::given_up) return false;  // what others wait for may never come
    } else {
      aside_.push_back(std::move(running_));
    }
    if (step_by_step_) wake(ended ? &running_ : nullptr);
  }
  return true;
}

void Schedule::report(std::uint32_t resident_threadgroups, FaultLog& faults) const {
  if (needed_ <= resident_threadgroups) return;
  faults.add(device::FaultKind::needs_residency, needed_at_.line, [&] {
    device::Fault fault;
    fault.place = {needed_at_.file, needed_at_.line};
    fault.message = fmt::format(
        "needs {} threadgroups at once: threads wait here for another threadgroup, and Metal may "
        "not start that one before theirs has ended",
        device::grouped(needed_));
    return fault;
  });
}

}  // namespace assay::simulator
