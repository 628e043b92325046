#include "cli/bench.hpp"

namespace assay::cli {

std::string_view name_of(Mode mode) { return mode == Mode::fast ? "fast" : "checked"; }

std::string_view name_of(Way way) {
  return way.numerics == Numerics::strict ? name_of(way.mode) : metal::name_of(way.numerics);
}

Benches::Benches(Way way, std::shared_ptr<const metal::KernelModule> module) {
  simulator::Options options;
  options.mode = way.mode;
  options.numerics = way.numerics;
  if (module) options.compile = [module](const device::KernelSource&) { return module; };
  gpu_ = std::make_unique<simulator::SimulatedGpu>(options);
  if (way.mode == Mode::checked) return;
  for (const auto poison : {device::kPoison, device::kSecondPoison}) {
    device::GuardOptions guard;
    guard.poison = poison;
    guarded_.push_back(std::make_unique<device::GuardedDevice>(*gpu_, guard));
    if (way.numerics != Numerics::strict) break;
  }
}

std::vector<properties::Bench> Benches::benches() {
  if (guarded_.empty()) return {{gpu_.get(), device::kPoison}};
  std::vector<properties::Bench> all = {{guarded_[0].get(), device::kPoison}};
  if (guarded_.size() > 1) all.push_back({guarded_[1].get(), device::kSecondPoison});
  return all;
}

}  // namespace assay::cli
