#include "harness/simulator/fault_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/device/grouped.hpp"
#include "harness/metal/stdlib/assay/runtime.h"
#include "harness/simulator/checker.hpp"

namespace assay::simulator {
namespace {

constexpr std::size_t kPartnersNamed = 3;

/// Of the lane that runs, or that ran last.
std::array<std::uint32_t, 3> running_threadgroup() {
  if (assay_lane == nullptr) return {};
  const auto& position = assay_lane->threadgroup_position;
  return {position[0], position[1], position[2]};
}

// Where the access was that raced with the one at the fault's place.
device::SourcePlace partner_of(const device::Fault& fault) {
  return fault.kind == device::FaultKind::race && fault.accesses.size() == 2 ? fault.accesses[1].place
                                                                             : device::SourcePlace();
}

// Says in the words of the accesses how often and in how many places a fault was seen, and where else the
// access was that the reported one raced with: that may be another fault.
void say_spread(device::Fault& fault, std::size_t threadgroups,
                const std::vector<device::SourcePlace>& partners) {
  if (fault.count > 1 && !fault.accesses.empty()) {
    fault.accesses.front().what +=
        fmt::format(" (the first of {} times, in {})", device::grouped(fault.count),
                    threadgroups == 1 ? "one threadgroup" : device::counted(threadgroups, "threadgroup"));
  }
  if (partners.empty() || fault.accesses.size() < 2) return;
  std::string lines;
  for (std::size_t i = 0; i < std::min(partners.size(), kPartnersNamed); ++i)
    lines += (i == 0 ? "" : ", ") + fmt::format("{}:{}", partners[i].file, partners[i].line);
  if (partners.size() > kPartnersNamed)
    lines += fmt::format(" and {} more lines", partners.size() - kPartnersNamed);
  fault.accesses[1].what += fmt::format(" (also at {})", lines);
}

void say_same_value(device::Fault& fault, bool zero) {
  fault.same_value = true;
  fault.message += fmt::format(
      "; both write {}, so the result does not depend on their order, but Metal does not define such a race",
      zero ? "0" : "the same value");
}

}  // namespace

void FaultLog::add(device::FaultKind kind, std::uint64_t key,
                   const std::function<device::Fault()>& describe) {
  const std::lock_guard lock(mutex_);
  const auto [it, fresh] = index_.try_emplace({static_cast<int>(kind), key}, faults_.size());
  if (!fresh) {
    ++faults_[it->second].count;
    threadgroups_[it->second].insert(running_threadgroup());
    return;
  }
  faults_.push_back(describe());
  faults_.back().kind = kind;
  if (faults_.back().moment == 0 && Checker::current != nullptr)
    faults_.back().moment = Checker::current->moment();
  threadgroups_.push_back({running_threadgroup()});
  values_.emplace_back();
  if (seen_) seen_(faults_.back());
}

void FaultLog::add_values(std::uint64_t key, bool same, bool zero) {
  const std::lock_guard lock(mutex_);
  Values& values = values_.at(index_.at({static_cast<int>(device::FaultKind::race), key}));
  values.seen = true;
  values.same &= same;
  values.zero &= zero;
}

void FaultLog::add_old_value(std::uint64_t key, const std::function<device::OldValue()>& describe) {
  const std::lock_guard lock(mutex_);
  if (const auto known = old_values_.find(key); known != old_values_.end()) {
    ++known->second.count;
  } else {
    old_values_.emplace(key, describe());
  }
}

void FaultLog::add_inactive_read(device::InactiveRead read) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(inactive_reads_.begin(), inactive_reads_.end(),
                                  [&](const auto& one) { return one.read.place == read.read.place; });
  if (known == inactive_reads_.end()) {
    inactive_reads_.push_back(std::move(read));
  } else if (read.order < known->order) {
    *known = std::move(read);
  }
}

bool FaultLog::has(device::FaultKind kind) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(faults_.begin(), faults_.end(), [&](const auto& fault) { return fault.kind == kind; });
}

bool FaultLog::empty() const {
  const std::lock_guard lock(mutex_);
  return faults_.empty();
}

device::LaunchReport FaultLog::report() const {
  const std::lock_guard lock(mutex_);
  device::LaunchReport report;
  for (const auto& [key, old] : old_values_) report.old_values.push_back(old);
  report.inactive_reads = inactive_reads_;
  std::sort(report.inactive_reads.begin(), report.inactive_reads.end(), [](const auto& a, const auto& b) {
    return std::tie(a.read.place.file, a.read.place.line) < std::tie(b.read.place.file, b.read.place.line);
  });
  struct Spread {
    std::set<std::array<std::uint32_t, 3>> threadgroups;
    std::vector<device::SourcePlace> partners;
    bool same = true, zero = true;  // what the writes of all races at that line store
    void join(const Values& values) {
      same &= values.seen && values.same;
      zero &= values.zero;
    }
  };
  std::vector<Spread> spread;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const device::Fault& fault = faults_[i];
    const auto same = std::find_if(report.faults.begin(), report.faults.end(), [&](const auto& known) {
      return known.kind == fault.kind && known.place == fault.place && known.place.line != 0;
    });
    if (same == report.faults.end()) {
      report.faults.push_back(fault);
      spread.push_back({threadgroups_[i], {partner_of(fault)}});
      spread.back().join(values_[i]);
      continue;
    }
    // A barrier of the wider scope is what is missing; it cures the narrower race too.
    const auto count = same->count + fault.count;
    const auto moment = std::min(same->moment, fault.moment);
    if (fault.scope > same->scope) *same = fault;
    same->count = count;
    same->moment = moment;
    Spread& seen = spread[static_cast<std::size_t>(same - report.faults.begin())];
    seen.join(values_[i]);
    seen.threadgroups.insert(threadgroups_[i].begin(), threadgroups_[i].end());
    seen.partners.push_back(partner_of(fault));
  }
  for (std::size_t i = 0; i < report.faults.size(); ++i) {
    std::vector<device::SourcePlace> others;
    for (const auto& one : spread[i].partners) {
      if (one.line != 0 && !(one == partner_of(report.faults[i])) &&
          std::find(others.begin(), others.end(), one) == others.end())
        others.push_back(one);
    }
    say_spread(report.faults[i], spread[i].threadgroups.size(), others);
    if (spread[i].same) say_same_value(report.faults[i], spread[i].zero);
  }
  return report;
}

}  // namespace assay::simulator
