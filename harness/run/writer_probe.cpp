#include "harness/run/writer_probe.hpp"

#include "harness/device/registry.hpp"

namespace assay::run {

WriterProbe::WriterProbe(const KernelEntry& entry, std::string_view device) : entry_(entry) {
  device::DeviceOptions options;
  options.mode = device::Mode::checked;
  options.writers = true;
  try {
    auto made = device::make_device(device, options);
    if (!made->capabilities().writers) return;
    kernel_ = made->load(entry_.kernel_source());
    device_ = std::move(made);
  } catch (const std::exception&) {
    // It compiles for fast mode alone: nobody is named.
  }
}

LastWriters WriterProbe::operator()(const Problem& problem) try {
  if (!device_) return {};
  return run_problem(*device_, kernel_, entry_, problem).writers;
} catch (const std::exception&) {
  return {};
}

}  // namespace assay::run
