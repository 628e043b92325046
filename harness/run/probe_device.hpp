// A kernel on a checked device of its own, for what the devices of a run do not tell.
#pragma once

#include <memory>
#include <string_view>

#include "assay/device/device.hpp"
#include "assay/device/options.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::run {

struct ProbeDevice {
  std::unique_ptr<device::Device> device;  ///< null: it cannot tell, or the kernel does not compile for it
  device::KernelId kernel{};
};

/// Compiles the kernel for a device of that name in checked mode, with the option `tells` on, if the device
/// has what is `needed` for it.
ProbeDevice load_probe(const KernelEntry& entry, std::string_view name, bool device::DeviceOptions::*tells,
                       bool device::Capabilities::*needed);

}  // namespace assay::run
