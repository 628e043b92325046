#include "harness/run/writer_probe.hpp"

namespace assay::run {

StorerProbe::StorerProbe(const KernelEntry& entry) : entry_(entry) {
  simulator::Options options;
  options.mode = simulator::Mode::checked;
  options.storers = true;
  auto gpu = std::make_unique<simulator::SimulatedGpu>(options);
  try {
    kernel_ = gpu->load(entry_.kernel_source());
    gpu_ = std::move(gpu);
  } catch (const std::exception&) {
    // It compiles for fast mode alone: nobody is named.
  }
}

Storers StorerProbe::operator()(const Problem& problem, std::uint64_t schedule) try {
  if (!gpu_) return {};
  gpu_->set_schedule(schedule);
  return assay::run_problem(*gpu_, kernel_, entry_, problem).storers;
} catch (const std::exception&) {
  return {};
}

}  // namespace assay::run
