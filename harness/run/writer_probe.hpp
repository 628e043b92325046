// Who stores what in a kernel, for its diagnosis.
#pragma once

#include <memory>

#include "harness/simulator/simulated_gpu.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/run_problem.hpp"

namespace assay::run {

/// A kernel on a device of its own in checked mode, whose records say which simdgroup stored each byte.
class StorerProbe {
 public:
  /// Compiles the kernel. The entry must outlive it.
  explicit StorerProbe(const KernelEntry& entry);

  /// Empty where the device or the kernel fails: then nobody is named.
  Storers operator()(const Problem& problem, std::uint64_t schedule);

 private:
  const KernelEntry& entry_;
  std::unique_ptr<simulator::SimulatedGpu> gpu_;
  device::KernelId kernel_{};
};

}  // namespace assay::run
