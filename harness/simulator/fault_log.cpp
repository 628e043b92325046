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
  for (const auto& fault : faults_) {
    const auto same = std::find_if(report.faults.begin(), report.faults.end(), [&](const auto& known) {
      return known.kind == fault.kind && known.place == fault.place && known.place.line != 0;
    });
    if (same == report.faults.end()) {
      report.faults.push_back(fault);
    } else {
      same->count += fault.count;
    }
  }
  return report;
}

}  // namespace assay::simulator
