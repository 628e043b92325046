// Speed of the oracle: exact sums a second on one core.
#include <benchmark/benchmark.h>

#include "properties/cases/operation.hpp"
#include "reference/dequantize.hpp"
#include "reference/gemm.hpp"

namespace assay {
namespace {

void exact_sums(benchmark::State& state, const char* regime) {
  properties::Case described{
      "gemm_fp4", {{"M", 128}, {"N", 128}, {"K", 256}, {"group_size", 32}}, regime, {}, 1};
  const auto& operation = properties::find_operation("gemm_fp4");
  const auto problem = operation.make_problem(described);
  const auto weights = reference::dequantize_fp4(256, 128, 32, assay::input(problem, "B").as<std::uint32_t>(),
                                                 assay::input(problem, "scales").as<std::uint16_t>());
  const auto activations = assay::input(problem, "A").as<std::uint16_t>();
  for (auto _ : state) benchmark::DoNotOptimize(reference::gemm_sums(128, 128, 256, activations, weights));
  state.counters["fma/s"] =
      benchmark::Counter(128 * 128 * 256, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(exact_sums, random, "random")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
