// Who stores what in a kernel, for its diagnosis.
#pragma once

#include <string_view>

#include "harness/run/probe_device.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/run_problem.hpp"

namespace assay::run {

/// A kernel on a device of its own in checked mode, whose records say which simdgroup stored each byte.
class WriterProbe {
 public:
  /// Compiles the kernel. The entry must outlive it.
  WriterProbe(const KernelEntry& entry, std::string_view device);

  /// Empty where the device or the kernel fails, or where the device cannot tell: then nobody is named.
  LastWriters operator()(const Problem& problem);

 private:
  const KernelEntry& entry_;
  ProbeDevice probe_;
};

}  // namespace assay::run
