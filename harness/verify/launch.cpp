#include "harness/verify/launch.hpp"

#include "harness/verify/launch_sizes.hpp"

namespace assay {

device::LaunchReport launch(device::Device& device, const KernelEntry& entry, const Problem& problem,
                            const Binding& binding) {
  if (auto refused = refused_length(entry, problem.dims)) return {{std::move(*refused)}};
  auto report = device.dispatch(binding.dispatch());
  if (entry.accepts_same_value_writes)
    std::erase_if(report.faults, [](const device::Fault& fault) { return fault.same_value; });
  return report;
}

}  // namespace assay
