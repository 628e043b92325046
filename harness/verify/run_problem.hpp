// One problem, run on one device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/problem.hpp"
#include "assay/tensor.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// Who stored each element of a tensor last, by the tensor's name.
using LastWriters = std::map<std::string, std::vector<device::Writer>>;

struct RunResult {
  device::LaunchReport report;              ///< of all launches; equal faults are counted together
  std::vector<Tensor> outputs;              ///< after the last launch, in the order of Problem::outputs
  std::vector<std::string> changed_inputs;  ///< inputs that the kernel wrote to
  LastWriters writers = {};  ///< of the outputs, in the last launch; empty where the device was not asked
};

/// Allocates, uploads, launches `launches` times over the same buffers, downloads. `kernel` is what the
/// device made of entry.kernel_source(). Throws ManifestError, std::invalid_argument or device::DeviceError;
/// whatever happens, no buffer is left behind.
RunResult run_problem(device::Device& device, device::KernelId kernel, const KernelEntry& entry,
                      const Problem& problem, unsigned launches = 1);

}  // namespace assay
