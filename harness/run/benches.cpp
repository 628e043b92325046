#include "harness/run/benches.hpp"

namespace assay::run {

std::string_view name_of(Mode mode) { return mode == Mode::fast ? "fast" : "checked"; }

std::string_view name_of(Way way) {
  return way.numerics == Numerics::strict ? name_of(way.mode) : metal::name_of(way.numerics);
}

metal::Flavour flavour_of(Way way) {
  return way.mode == Mode::fast ? metal::Flavour::fast : metal::Flavour::checked;
}

Benches::Benches(Way way, device::LaunchObserver observer, std::shared_ptr<const metal::KernelModule> module,
                 unsigned threads) {
  simulator::Options options;
  options.mode = way.mode;
  options.numerics = way.numerics;
  options.threads = threads;
  if (module) options.compile = [module](const device::KernelSource&) { return module; };
  gpu_ = std::make_unique<simulator::SimulatedGpu>(options);
  audited_ = std::make_unique<device::AuditedDevice>(*gpu_);
  benches_ = {{audited_.get(), device::kPoison}};
  if (way.mode == Mode::fast) {
    benches_.clear();
    for (const auto poison : {device::kPoison, device::kSecondPoison}) {
      device::GuardOptions guard;
      guard.poison = poison;
      guarded_.push_back(std::make_unique<device::GuardedDevice>(*audited_, guard));
      benches_.push_back({guarded_.back().get(), poison});
      if (way.numerics != Numerics::strict) break;
    }
  }
  if (!observer) return;
  for (auto& bench : benches_) {
    recorded_.push_back(std::make_unique<device::LaunchRecorder>(*bench.device, observer));
    bench.device = recorded_.back().get();
  }
}

}  // namespace assay::run
