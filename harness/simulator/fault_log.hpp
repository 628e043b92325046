// Collects the faults of one launch, one entry per kind and place.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/launch_report.hpp"

namespace assay::simulator {

/// Thread-safe. `key` tells places apart before they are resolved to lines (an address or a line).
class FaultLog {
 public:
  /// Counts a fault of the running threadgroup; `describe` is called only the first time that (kind, key) is
  /// seen.
  void add(device::FaultKind kind, std::uint64_t key, const std::function<device::Fault()>& describe);

  /// Counts a load that gave an old value; likewise.
  void add_old_value(std::uint64_t key, const std::function<device::OldValue()>& describe);

  /// Any fault of this kind so far?
  bool has(device::FaultKind kind) const;
  bool empty() const;

  /// The faults in the order of their first occurrence; faults that resolve to one line are joined.
  device::LaunchReport report() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<int, std::uint64_t>, std::size_t> index_;
  std::vector<device::Fault> faults_;
  std::vector<std::set<std::array<std::uint32_t, 3>>> threadgroups_;  // that each was seen in
  std::map<std::uint64_t, device::OldValue> old_values_;
};

}  // namespace assay::simulator
