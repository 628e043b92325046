#include "harness/run/test_devices.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace assay::run {

metal::Flavour flavour_of(Mode mode) {
  return mode == Mode::checked ? metal::Flavour::checked : metal::Flavour::fast;
}

TestDevices::TestDevices(Mode mode, const TestDeviceOptions& options) {
  device::DeviceOptions asked;
  asked.mode = mode == Mode::checked ? device::Mode::checked : device::Mode::fast;
  asked.numerics = numerics_of(mode);
  asked.threads = options.threads;
  asked.fault_seen = options.fault_seen;
  if (options.module) {
    asked.compile = [module = options.module](const device::KernelSource&) { return module; };
  }
  device_ = device::make_device(options.device, asked);
  if (mode == Mode::checked && !device_->capabilities().checks) {
    throw std::invalid_argument(
        fmt::format("device \"{}\" has no checked mode, since it does not check accesses", options.device));
  }
  audited_ = std::make_unique<device::AuditedDevice>(*device_);
  // A device that checks fills fresh memory by itself.
  if (mode == Mode::checked) devices_ = {{audited_.get(), device::kPoison}};
  for (const auto poison : {device::kPoison, device::kSecondPoison}) {
    if (mode == Mode::checked && poison == device::kPoison) continue;
    device::GuardOptions guard;
    guard.poison = poison;
    guarded_.push_back(std::make_unique<device::GuardedDevice>(*audited_, guard));
    devices_.push_back({guarded_.back().get(), poison, mode != Mode::fast && poison != device::kPoison});
  }
  if (!options.observer) return;
  for (auto& one : devices_) {
    if (one.when_asked) continue;
    recorded_.push_back(std::make_unique<device::LaunchRecorder>(*one.device, options.observer));
    one.device = recorded_.back().get();
  }
}

}  // namespace assay::run
