// The kernels of a device, loaded when first needed and launched with their faults as errors.
#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/device/device.hpp"
#include "kernels/host/gemm_kernels.hpp"

namespace assay::host {

/// A kernel misbehaved, so what it wrote is not to be used.
class LaunchError : public std::runtime_error {
 public:
  /// what() names the kernel, the first fault and its place.
  LaunchError(std::string_view kernel, device::LaunchReport report);

  const device::LaunchReport& report() const { return report_; }

 private:
  device::LaunchReport report_;
};

/// One for each device; layers share it. Not for several threads at once.
class KernelLibrary {
 public:
  /// `device` must outlive this; `folder` holds the `.metal` files.
  KernelLibrary(device::Device& device, std::filesystem::path folder)
      : device_(device), folder_(std::move(folder)) {}

  device::Device& device() const { return device_; }

  /// Compiles a kernel the first time it is asked for. Throws what device::Device::load throws.
  device::KernelId load(const KernelDescription& kernel);

  /// Launches a kernel of this library in threadgroups and waits. Throws LaunchError on any fault, and
  /// device::DeviceError where the device fails.
  void launch(const KernelDescription& kernel, std::vector<device::Argument> arguments, device::Size3 grid);

 private:
  device::Device& device_;
  std::filesystem::path folder_;
  std::map<std::string_view, device::KernelId> loaded_;  // by name; descriptions live for ever
};

}  // namespace assay::host
