// The process that runs kernels: does on a device what a judge asks for, and says what came of it.
#pragma once

#include "assay/device/device.hpp"
#include "assay/device/options.hpp"
#include "harness/process/channel.hpp"
#include "harness/remote/window.hpp"

namespace assay::remote {

/// Answers requests until the process is ended. A request is
///   {"before": [COMMAND...], "do": NAME, ...}
/// where commands are arrays of a name, the judge's number of a buffer, and sizes; each answer is
///   {"done": {...}} or {"failed": WORDS, "device": whether the device failed}.
/// During a launch there may be {"type": "seen", ...} for faults.
[[noreturn]] void serve(device::Device& device, const Window& window, device::LoopBudget* budget,
                        const process::Reporter& reporter);

/// For device::DeviceOptions::fault_seen of a device that is served: tells the judge.
void tell(const device::Fault& fault);

}  // namespace assay::remote
