#include "harness/run/writer_probe.hpp"

namespace assay::run {

WriterProbe::WriterProbe(const KernelEntry& entry, std::string_view device)
    : entry_(entry),
      probe_(load_probe(entry, device, &device::DeviceOptions::writers, &device::Capabilities::writers)) {}

LastWriters WriterProbe::operator()(const Problem& problem) try {
  if (!probe_.device) return {};
  return run_problem(*probe_.device, probe_.kernel, entry_, problem).writers;
} catch (const std::exception&) {
  return {};
}

}  // namespace assay::run
