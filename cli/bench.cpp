#include "cli/bench.hpp"

namespace assay::cli {

std::string_view name_of(Mode mode) { return mode == Mode::fast ? "fast" : "checked"; }

Benches::Benches(Mode mode, std::shared_ptr<const metal::KernelModule> module) {
  simulator::Options options;
  options.mode = mode;
  if (module) options.compile = [module](const device::KernelSource&) { return module; };
  gpu_ = std::make_unique<simulator::SimulatedGpu>(options);
  if (mode == Mode::checked) return;
  for (const auto poison : {device::kPoison, device::kSecondPoison}) {
    device::GuardOptions guard;
    guard.poison = poison;
    guarded_.push_back(std::make_unique<device::GuardedDevice>(*gpu_, guard));
  }
}

std::vector<properties::Bench> Benches::benches() {
  if (guarded_.empty()) return {{gpu_.get(), device::kPoison}};
  return {{guarded_[0].get(), device::kPoison}, {guarded_[1].get(), device::kSecondPoison}};
}

}  // namespace assay::cli
