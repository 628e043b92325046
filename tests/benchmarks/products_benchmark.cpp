// Speed of the reference product on one core, beside the most that the core does in double precision.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "properties/blas/exact_sums.hpp"
#include "properties/operations/products/gemm_expectation.hpp"
#include "tests/benchmarks/fp64_peak.hpp"

namespace assay {
namespace {

/// Ordinary halves of either sign, 2^-4 to 2^1, in a fixed disorder.
std::vector<std::uint16_t> ordinary(std::size_t count) {
  std::vector<std::uint16_t> halves(count);
  std::uint64_t state = 1;
  for (std::uint16_t& half : halves) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    half = static_cast<std::uint16_t>(0x2C00 + (state >> 33) % 0x1400);
    if (state >> 63 != 0) half |= 0x8000;
  }
  return halves;
}

double peak() {
  static const double once = benchmarks::fp64_peak();
  return once;
}

void count(benchmark::State& state) {
  // Two products: of the elements, and of their magnitudes.
  const double operations = 4.0 * static_cast<double>(state.range(0) * state.range(1) * state.range(2));
  const double done = operations * static_cast<double>(state.iterations());
  state.counters["flop/s"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["peak"] = peak();
  state.counters["of_peak"] = benchmark::Counter(done / peak(), benchmark::Counter::kIsRate);
}

void exact_sums(benchmark::State& state) {
  const auto M = static_cast<std::size_t>(state.range(0)), N = static_cast<std::size_t>(state.range(1)),
             K = static_cast<std::size_t>(state.range(2));
  const auto A = ordinary(M * K), W = ordinary(K * N);
  peak();
  for (auto _ : state) benchmark::DoNotOptimize(blas::exact_sums(M, N, K, A, W));
  count(state);
}

/// With which halves are right: what a whole layer costs beside its kernel.
void expected_product(benchmark::State& state) {
  const auto M = static_cast<std::size_t>(state.range(0)), N = static_cast<std::size_t>(state.range(1)),
             K = static_cast<std::size_t>(state.range(2));
  const auto A = ordinary(M * K), W = ordinary(K * N);
  peak();
  for (auto _ : state) benchmark::DoNotOptimize(properties::expect_product("C", M, N, K, A, W, {}));
  count(state);
}

void layers(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"M", "N", "K"})->Unit(benchmark::kMillisecond);
  for (const std::int64_t M : {1, 8, 64, 512}) benchmark->Args({M, 4096, 4096});
  benchmark->Args({512, 14336, 4096})->Args({512, 4096, 14336});
}

BENCHMARK(exact_sums)->Apply(layers);
BENCHMARK(expected_product)->Apply(layers);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
