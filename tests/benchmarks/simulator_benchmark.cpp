// Speed of the simulated GPU on one core: fused multiply-adds a second per kernel and mode, how the cost
// grows with M*N*K, and what striping costs where nothing is striped.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "harness/run/manifests.hpp"
#include "harness/simulator/simulated_gpu.hpp"
#include "harness/verify/binding.hpp"
#include "properties/cases/operation.hpp"

namespace assay {
namespace {

struct Shape {
  std::int64_t M, N, K;
  double multiply_adds() const { return static_cast<double>(M * N * K); }
};

/// The problem's size in the design.
constexpr Shape kUsual = {128, 128, 256};
/// From 2^18 to 2^29 multiply-adds.
constexpr Shape kGrowing[] = {{64, 64, 64},    {64, 64, 512},    {128, 128, 256},  {128, 128, 1024},
                              {256, 256, 512}, {256, 256, 2048}, {512, 512, 1024}, {512, 512, 2048}};

const std::vector<KernelEntry>& kernels() {
  static const auto entries = run::load_manifest(ASSAY_SOURCE_DIR "/kernels/kernels.toml");
  return entries;
}

/// Seconds a launch, by benchmark name.
std::map<std::string, double>& seconds() {
  static std::map<std::string, double> by_name;
  return by_name;
}

/// Of a layer of experts: gate and up are [K, intermediate], down is [intermediate, N].
double multiply_adds(const Dims& dims) {
  const auto size = [&](const char* name) { return static_cast<double>(dims.at(name)); };
  if (!dims.contains("intermediate")) return size("M") * size("N") * size("K");
  return size("M") * size("top_k") * size("intermediate") * (2 * size("K") + size("N"));
}

// Launches one kernel on one problem. What is left besides the shape: groups of 32, indices of 4 bits, one
// expert, and for striped kernels one slice and a threadgroup for each tile of 64x64, so that the work is
// that of the others.
void launch(benchmark::State& state, const std::string& name, const KernelEntry& entry, simulator::Mode mode,
            Shape shape) {
  const std::map<std::string, std::int64_t> extents = {
      {"M", shape.M},     {"N", shape.N},   {"K", shape.K},
      {"group_size", 32}, {"parallel", 1},  {"threadgroups", (shape.M + 63) / 64 * ((shape.N + 63) / 64)},
      {"bits", 4},        {"n_levels", 16}, {"intermediate", shape.N},
      {"num_experts", 1}, {"top_k", 1},
  };
  const auto& operation = properties::find_operation(entry.operation);
  properties::Case described;
  described.operation = entry.operation;
  for (const auto& dimension : operation.declaration().dimensions) {
    const auto found = extents.find(dimension.name);
    if (found == extents.end()) {
      return state.SkipWithError(("no extent chosen for dimension " + dimension.name).c_str());
    }
    described.dims[dimension.name] = found->second;
  }
  const auto& regimes = operation.declaration().regimes;
  described.regime = properties::find_named(regimes, "random") ? "random" : regimes.front().name;
  described.seed = 1;
  const auto problem = operation.make_problem(described);
  simulator::SimulatedGpu gpu({.mode = mode, .threads = 1, .limits = {}});
  const Binding binding(gpu, gpu.load(entry.kernel_source()), entry, problem);
  double cpu = 0;
  for (auto _ : state) {
    const auto begin = std::clock();
    if (!gpu.dispatch(binding.dispatch()).clean()) state.SkipWithError("the kernel is not right");
    cpu += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }
  seconds()[name] = cpu / static_cast<double>(state.iterations());
  if (described.dims.contains("M") && described.dims.contains("K")) {
    state.counters["fma/s"] =
        benchmark::Counter(multiply_adds(problem.dims), benchmark::Counter::kIsIterationInvariantRate);
  } else {
    state.SetItemsProcessed(state.iterations() * shape.N * shape.K);  // weights
  }
}

void add(const std::string& name, const KernelEntry& entry, simulator::Mode mode, Shape shape) {
  benchmark::RegisterBenchmark(name.c_str(), [name, &entry, mode, shape](benchmark::State& state) {
    launch(state, name, entry, mode, shape);
  })->Unit(benchmark::kMillisecond);
}

std::string grown_name(const std::string& kernel, Shape shape) {
  return fmt::format("{}/fast/{}x{}x{}", kernel, shape.M, shape.N, shape.K);
}

// The exponent e of cost = c * (M*N*K)^e, by least squares over the logarithms.
void print_exponent(const std::string& kernel) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Shape& shape : kGrowing) {
    const auto found = seconds().find(grown_name(kernel, shape));
    if (found == seconds().end()) continue;
    const double work = std::log(shape.multiply_adds()), cost = std::log(found->second);
    n += 1, x += work, y += cost, xx += work * work, xy += work * cost;
  }
  if (n < 2) return;
  fmt::print("{}: cost grows as (M*N*K)^{:.3f} from 64x64x64 to 512x512x2048\n", kernel,
             (n * xy - x * y) / (n * xx - x * x));
}

void print_ratio(const std::string& slow, const std::string& fast) {
  const auto a = seconds().find(slow), b = seconds().find(fast);
  if (a == seconds().end() || b == seconds().end()) return;
  fmt::print("{} takes {:.2f} times as long as {}\n", slow, a->second / b->second, fast);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  using namespace assay;
  const std::vector<std::string> growing = {"marlin_gemm_fp4", "marlin_gemm_fused_fp4"};
  for (const auto& entry : kernels()) {
    if (entry.operation.starts_with("rans_")) continue;  // rans_benchmark
    add(entry.name + "/fast", entry, simulator::Mode::fast, kUsual);
    add(entry.name + "/checked", entry, simulator::Mode::checked, kUsual);
    if (std::find(growing.begin(), growing.end(), entry.name) == growing.end()) continue;
    for (const Shape& shape : kGrowing)
      add(grown_name(entry.name, shape), entry, simulator::Mode::fast, shape);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  for (const auto& kernel : growing) print_exponent(kernel);
  print_ratio("marlin_gemm_fp4_striped/fast", "marlin_gemm_fp4/fast");
}
