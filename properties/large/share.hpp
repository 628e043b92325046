// Which part of the output each threadgroup of a launch stores, read off the grid of its manifest entry: what
// must be there after some of the threadgroups have run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "assay/device/device.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/part.hpp"

namespace assay::properties {

class Share {
 public:
  /// Nothing where the grid does not say: a side of it that follows from several dimensions, or from one that
  /// no output runs along, as where any number of threadgroups share out the work by themselves.
  static std::optional<Share> of(const KernelEntry& entry, const Operation& operation, const Dims& dims);

  const device::Size3& threadgroups() const { return threadgroups_; }

  /// Whether the grid cuts that dimension; of others each threadgroup works through everything.
  bool cuts(const std::string& dimension) const;

  /// What a threadgroup stores.
  Part of_threadgroup(const device::Size3& at) const;

  /// The threadgroup that stores what lies at these indices along dimensions; along those that are not given,
  /// at the first.
  device::Size3 storing(const std::map<std::string, std::size_t>& indices) const;

 private:
  /// How a side of the grid cuts a dimension: in steps of `step`. No dimension: the side is 1.
  struct Cut {
    std::string dimension;
    std::size_t step = 1, extent = 1;
  };

  device::Size3 threadgroups_;
  std::array<Cut, 3> cuts_;
};

/// How many threadgroups the kernel is launched with. Throws ManifestError where there is no such grid.
std::uint64_t threadgroups_at(const KernelEntry& entry, const Operation& operation, const Dims& dims);

}  // namespace assay::properties
