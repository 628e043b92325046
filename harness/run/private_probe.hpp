// Variables of a thread's own that are read before they have a value: whether what a case shows comes of
// them.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "assay/problem.hpp"
#include "harness/run/probe_device.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::run {

/// A kernel on a device of its own that watches such variables. A read of one is known there to the line, but
/// may be of no consequence. So each is given other garbage in a run of its own, and named only if something
/// comes out otherwise: an output, or a fault.
class PrivateProbe {
 public:
  /// Compiles the kernel. The entry must outlive it.
  PrivateProbe(const KernelEntry& entry, std::string_view device);

  /// In the order in which they are read; none where the device or the kernel fails. Calls `before_each`
  /// before each run, whose time is counted from there.
  std::vector<device::Fault> operator()(const Problem& problem, const std::function<void()>& before_each);

 private:
  const KernelEntry& entry_;
  ProbeDevice probe_;
};

}  // namespace assay::run
