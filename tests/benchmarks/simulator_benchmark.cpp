// Speed of the simulated GPU: fused multiply-adds a second on one core, per kernel and mode.
#include <benchmark/benchmark.h>

#include "cli/kernels.hpp"
#include "harness/simulator/simulated_gpu.hpp"
#include "harness/verify/binding.hpp"
#include "properties/operation.hpp"

namespace assay {
namespace {

const std::vector<verify::KernelEntry>& kernels() {
  static const auto entries = cli::load_manifest(ASSAY_SOURCE_DIR "/kernels/kernels.toml");
  return entries;
}

// One launch of one kernel at M = N = 128, K = 256, the problem's size in the design.
void launch(benchmark::State& state, const verify::KernelEntry& entry, simulator::Mode mode) {
  constexpr std::int64_t kM = 128, kN = 128, kK = 256;
  properties::Case described;
  described.operation = entry.operation;
  for (const auto& dimension : properties::find_operation(entry.operation).declaration().dimensions) {
    described.dims[dimension.name] = dimension.name == "K" ? kK : dimension.name == "group_size" ? 32 : kM;
  }
  described.regime = "random";
  described.seed = 1;
  const auto problem = properties::find_operation(entry.operation).make_problem(described);
  simulator::SimulatedGpu gpu({.mode = mode, .threads = 1, .limits = {}});
  const verify::Binding binding(gpu, gpu.load(entry.kernel_source()), entry, problem);
  for (auto _ : state) {
    if (!gpu.dispatch(binding.dispatch()).clean()) state.SkipWithError("the kernel is not right");
  }
  if (described.dims.contains("M")) {
    state.counters["fma/s"] = benchmark::Counter(kM * kN * kK, benchmark::Counter::kIsIterationInvariantRate);
  } else {
    state.SetItemsProcessed(state.iterations() * kN * kK);  // weights
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  using assay::simulator::Mode;
  for (const auto& entry : assay::kernels()) {
    if (entry.operation.starts_with("rans_")) continue;  // rans_benchmark
    for (const auto mode : {Mode::fast, Mode::checked}) {
      const std::string name = entry.name + (mode == Mode::fast ? "/fast" : "/checked");
      benchmark::RegisterBenchmark(name.c_str(), [&entry, mode](benchmark::State& state) {
        assay::launch(state, entry, mode);
      })->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
