#include "harness/simulator/fault_log.hpp"

#include <algorithm>

namespace assay::simulator {

void FaultLog::add(device::FaultKind kind, std::uint64_t key,
                   const std::function<device::Fault()>& describe) {
  const std::lock_guard lock(mutex_);
  const auto [it, fresh] = index_.try_emplace({static_cast<int>(kind), key}, faults_.size());
  if (!fresh) {
    ++faults_[it->second].count;
    return;
  }
  faults_.push_back(describe());
  faults_.back().kind = kind;
}

void FaultLog::add_old_value(std::uint64_t key, const std::function<device::OldValue()>& describe) {
  const std::lock_guard lock(mutex_);
  if (const auto known = old_values_.find(key); known != old_values_.end()) {
    ++known->second.count;
  } else {
    old_values_.emplace(key, describe());
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
  for (const auto& fault : faults_) {
    const auto same = std::find_if(report.faults.begin(), report.faults.end(), [&](const auto& known) {
      return known.kind == fault.kind && known.place == fault.place && known.place.line != 0;
    });
    if (same == report.faults.end()) {
      report.faults.push_back(fault);
    } else {
      // A barrier of the wider scope is what is missing; it cures the narrower race too.
      const auto count = same->count + fault.count;
      if (fault.scope > same->scope) *same = fault;
      same->count = count;
    }
  }
  return report;
}

}  // namespace assay::simulator
