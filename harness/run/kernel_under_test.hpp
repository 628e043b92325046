// A kernel compiled and ready to be tried in one way, and what one case says of it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/run/test_devices.hpp"
#include "harness/run/verifier.hpp"
#include "properties/cases/trial.hpp"

namespace assay::run {

/// Compiles nothing: holds an entry against its kernel as it was loaded. Throws ManifestError.
void check_interface(const KernelEntry& entry, const metal::KernelModule& module, const ArgumentNames& names);

/// A kernel that cannot be loaded is a report, not an exception.
struct KernelUnderTest {
  std::string device;  ///< the name of
  Mode mode = Mode::fast;
  std::unique_ptr<TestDevices> devices;
  std::unique_ptr<properties::Trial> trial;
  std::optional<ModeReport> refused;
};
KernelUnderTest load_kernel(const KernelEntry& entry, Mode mode, const TestDeviceOptions& options = {});

/// Of the fault that decides the verdict; none where no fault was seen, or nobody knows where.
std::optional<device::SourcePlace> place_of(const Evidence& evidence);

ModeReport report_of(const properties::Trial& trial, const KernelEntry& entry, Mode mode,
                     const properties::Case& test_case, const properties::TrialResult& result);

ModeReport vacuous(const KernelEntry& entry, std::string why);

}  // namespace assay::run
