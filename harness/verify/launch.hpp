// One launch of what is bound.
#pragma once

#include "assay/device/device.hpp"
#include "assay/problem.hpp"
#include "harness/verify/binding.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// Launches, without the faults that the entry accepts. Nothing runs of a launch that Metal refuses: that is
/// its fault. Throws ManifestError or device::DeviceError.
device::LaunchReport launch(device::Device& device, const KernelEntry& entry, const Problem& problem,
                            const Binding& binding);

}  // namespace assay
