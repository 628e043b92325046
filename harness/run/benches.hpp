// The devices that a kernel is verified on, for each mode of the simulator.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/device/audited_device.hpp"
#include "harness/device/guarded_device.hpp"
#include "harness/device/launch_recorder.hpp"
#include "harness/simulator/simulated_gpu.hpp"
#include "properties/cases/trial.hpp"

namespace assay::run {

using metal::Numerics;
using simulator::Mode;

inline constexpr std::array kNumerics = {Numerics::strict, Numerics::contracted, Numerics::reassociated};

std::string_view name_of(Mode mode);

/// A way to run a kernel: what the simulator watches, and what the compiler may do to its arithmetic.
struct Way {
  Mode mode = Mode::fast;
  Numerics numerics = Numerics::strict;

  auto operator<=>(const Way&) const = default;
};

/// "fast" and "checked", whose arithmetic is strict; else "contracted" or "reassociated".
std::string_view name_of(Way way);

/// What a kernel is compiled as, to run that way.
metal::Flavour flavour_of(Way way);

/// Fast mode: two guarded views of one simulated GPU, whose fresh memory holds different garbage. Checked
/// mode: the simulated GPU alone, which sees for itself what guards and garbage would show. Where arithmetic
/// is not strict, one guarded view: garbage has been tried. All audit the device below them.
class Benches {
 public:
  /// An `observer` sees every launch of every bench. `module`: what every kernel that is loaded comes out as,
  /// where that is compiled already. `threads` of the operating system, in fast mode.
  explicit Benches(Way way, device::LaunchObserver observer = {},
                   std::shared_ptr<const metal::KernelModule> module = nullptr, unsigned threads = 1);
  const std::vector<properties::Bench>& benches() const { return benches_; }

  /// What the benches have loaded. Throws DeviceError where they have loaded nothing.
  const metal::KernelModule& module() const { return gpu_->module(device::KernelId{0}); }

  /// The schedule of threadgroups that meet follows from the case, so that a replay sees it again.
  void set_schedule(const properties::Case& problem) { gpu_->set_schedule(problem.seed); }

 private:
  std::unique_ptr<simulator::SimulatedGpu> gpu_;
  std::unique_ptr<device::AuditedDevice> audited_;
  std::vector<std::unique_ptr<device::GuardedDevice>> guarded_;
  std::vector<std::unique_ptr<device::LaunchRecorder>>
      recorded_;  ///< around each bench, where there is an observer
  std::vector<properties::Bench> benches_;
};

}  // namespace assay::run
