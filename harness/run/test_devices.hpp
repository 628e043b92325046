// The devices that a kernel is verified on, for each mode.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/audited_device.hpp"
#include "assay/device/guarded_device.hpp"
#include "assay/device/launch_recorder.hpp"
#include "assay/device/registry.hpp"
#include "harness/metal/compile/variants.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/remote/remote_device.hpp"
#include "harness/run/mode.hpp"
#include "properties/cases/trial.hpp"

namespace assay::run {

/// What a kernel is compiled as, to run that way.
metal::Flavour flavour_of(Mode mode);

/// What to make a kernel's devices of.
struct TestDeviceOptions {
  std::string device = std::string(device::kDefaultDevice);  ///< a registered device (device::make_device)
  device::LaunchObserver observer = {};                      ///< sees every launch on each of them
  /// What every kernel that is loaded comes out as, where that is compiled already.
  std::shared_ptr<const metal::KernelModule> module = {};
  unsigned threads = 1;                                       ///< of the operating system, in fast mode
  std::function<void(const device::Fault&)> fault_seen = {};  ///< device::DeviceOptions::fault_seen
  std::shared_ptr<device::LoopBudget> loop_budget = {};       ///< device::DeviceOptions::loop_budget
  std::size_t conditions = 0;                                 ///< device::DeviceOptions::conditions
  bool apart = true;  ///< kernels run in a process of their own, else in this one
};

/// Fast mode: two guarded views of one device, whose fresh memory holds different garbage. Checked mode: the
/// device alone, which sees for itself what guards and garbage would show. Where arithmetic is not strict,
/// one guarded view: garbage has been tried. Those of one view have another for when it is asked. All lead to
/// one device, which is audited and runs its kernels in a process of its own (harness/remote).
class TestDevices {
 public:
  /// Throws std::invalid_argument where there is no such device, or where it does not check what checked mode
  /// is for.
  explicit TestDevices(Mode mode, const TestDeviceOptions& options = {});
  const std::vector<properties::TestDevice>& devices() const { return devices_; }

  /// What they have loaded; null where the device runs no modules. Throws DeviceError where they have loaded
  /// nothing.
  const metal::KernelModule* module() const { return device_->module(device::KernelId{0}); }

  /// Forks the process that runs the kernels which have been loaded: it knows nothing of what comes behind.
  void start() const {
    if (remote_) remote_->start();
  }

 private:
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::AuditedDevice> audited_;
  std::unique_ptr<remote::RemoteDevice> remote_;
  std::vector<std::unique_ptr<device::GuardedDevice>> guarded_;
  std::vector<std::unique_ptr<device::LaunchRecorder>>
      recorded_;  ///< around each, where there is an observer
  std::vector<properties::TestDevice> devices_;
};

}  // namespace assay::run
