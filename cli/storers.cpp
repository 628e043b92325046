#include "cli/storers.hpp"

namespace assay::cli {

verify::Storers StorerProbe::operator()(const verify::Problem& problem, std::uint64_t schedule) try {
  if (!gpu_) {
    simulator::Options options;
    options.mode = simulator::Mode::checked;
    options.storers = true;
    gpu_ = std::make_unique<simulator::SimulatedGpu>(options);
    kernel_ = gpu_->load(entry_.kernel_source());
  }
  gpu_->set_schedule(schedule);
  return verify::run(*gpu_, kernel_, entry_, problem).storers;
} catch (const std::exception&) {
  return {};
}

}  // namespace assay::cli
