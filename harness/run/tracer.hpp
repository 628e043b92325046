// `--trace`: sends what each launch was given, with what of it is out of the ordinary, and what it left to
// the parent process, which prints it.
#pragma once

#include "harness/process/child.hpp"
#include "harness/run/test_devices.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::run {

/// Entry and reporter must outlive it, and it the devices that it observes.
class Tracer {
 public:
  Tracer(const KernelEntry& entry, Mode mode, const process::Reporter& reporter)
      : entry_(entry), mode_(mode), reporter_(reporter) {}

  /// The problem that the next launches are about, in words too; nullptr: they are not traced.
  void follow(const Problem* problem, std::string line = "") {
    problem_ = problem;
    line_ = std::move(line);
  }

  /// For LaunchRecorder.
  void operator()(const device::LaunchSnapshot& snapshot) const;

 private:
  const KernelEntry& entry_;
  Mode mode_;
  const process::Reporter& reporter_;
  const Problem* problem_ = nullptr;
  std::string line_;
};

}  // namespace assay::run
