#include "harness/run/probe_device.hpp"

#include "harness/remote/remote_device.hpp"

namespace assay::run {

ProbeDevice load_probe(const KernelEntry& entry, std::string_view name, bool device::DeviceOptions::*tells,
                       bool device::Capabilities::*needed) try {
  device::DeviceOptions options;
  options.mode = device::Mode::checked;
  options.*tells = true;
  ProbeDevice probe;
  auto made = remote::make_remote(name, options);
  if (!(made->capabilities().*needed)) return probe;
  probe.kernel = made->load(entry.kernel_source());
  probe.device = std::move(made);
  return probe;
} catch (const std::exception&) {
  return {};  // it compiles for other modes alone, or what is added to its text is not understood there
}

}  // namespace assay::run
