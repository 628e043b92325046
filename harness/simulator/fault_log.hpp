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

#include "assay/device/launch_report.hpp"

namespace assay::simulator {

/// Thread-safe. `key` tells places apart before they are resolved to lines (an address or a line).
class FaultLog {
 public:
  /// `seen`, if there is one, is told of each fault as it is seen for the first time.
  explicit FaultLog(std::function<void(const device::Fault&)> seen = {}) : seen_(std::move(seen)) {}

  /// Counts a fault of the running threadgroup; `describe` is called only the first time that (kind, key) is
  /// seen.
  void add(device::FaultKind kind, std::uint64_t key, const std::function<device::Fault()>& describe);

  /// Says of a race of that key, two writes, whether the second has left what the first had, and whether that
  /// is 0.
  void add_values(std::uint64_t key, bool same, bool zero);

  /// Counts a load that gave an old value; likewise.
  void add_old_value(std::uint64_t key, const std::function<device::OldValue()>& describe);

  /// A lane was given the value of one that took no part. Of each place the first in the grid is kept.
  void add_inactive_read(device::InactiveRead read);

  /// Any fault of this kind so far?
  bool has(device::FaultKind kind) const;
  bool empty() const;

  /// The faults in the order of their first occurrence; faults that resolve to one line are joined.
  device::LaunchReport report() const;

 private:
  const std::function<void(const device::Fault&)> seen_;

  /// What the two writes of a race left, each time.
  struct Values {
    bool seen = false, same = true, zero = true;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<int, std::uint64_t>, std::size_t> index_;
  std::vector<device::Fault> faults_;
  std::vector<std::set<std::array<std::uint32_t, 3>>> threadgroups_;  // that each was seen in
  std::vector<Values> values_;                                        // of each that is a race of two writes
  std::map<std::uint64_t, device::OldValue> old_values_;
  std::vector<device::InactiveRead> inactive_reads_;
};

}  // namespace assay::simulator
