#include "harness/run/test_devices.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/remote/server.hpp"

namespace assay::run {

metal::Flavour flavour_of(Mode mode) {
  return mode == Mode::checked ? metal::Flavour::checked : metal::Flavour::fast;
}

TestDevices::TestDevices(Mode mode, const TestDeviceOptions& options) {
  device::DeviceOptions asked;
  asked.mode = mode == Mode::checked ? device::Mode::checked : device::Mode::fast;
  asked.numerics = numerics_of(mode);
  asked.threads = options.threads;
  asked.fault_seen = options.fault_seen && options.apart ? remote::tell : options.fault_seen;
  asked.loop_budget = options.loop_budget;
  asked.conditions = options.conditions;
  if (mode == Mode::checked) asked.margin_bytes = device::GuardOptions{}.guard_bytes;
  if (options.module) {
    asked.compile = [module = options.module](const device::KernelSource&) { return module; };
  }
  device_ = device::make_device(options.device, asked);
  if (mode == Mode::checked && !device_->capabilities().checks) {
    throw std::invalid_argument(
        fmt::format("device \"{}\" has no checked mode, since it does not check accesses", options.device));
  }
  audited_ = std::make_unique<device::AuditedDevice>(*device_);
  device::Device* inner = audited_.get();
  if (options.apart) {
    asked.fault_seen = options.fault_seen;
    remote_ = std::make_unique<remote::RemoteDevice>(*audited_, asked);
    inner = remote_.get();
  }
  // A device that checks fills fresh memory by itself.
  if (mode == Mode::checked) devices_ = {{inner, device::kPoison}};
  for (const auto poison : {device::kPoison, device::kSecondPoison}) {
    if (mode == Mode::checked && poison == device::kPoison) continue;
    device::GuardOptions guard;
    guard.poison = poison;
    guarded_.push_back(std::make_unique<device::GuardedDevice>(*inner, guard));
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
