// Speed of golden sets, on all cores: how many bytes of files are made and checked in a second; of products, beside what
// the reference product of the same sizes takes by itself.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "golden/check.hpp"
#include "golden/make.hpp"
#include "harness/process/slots.hpp"
#include "properties/operations/products/gemm_expectation.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with the benchmark.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "assay-golden.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::uint64_t bytes_in(const fs::path& directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(directory)) bytes += entry.file_size();
  return bytes;
}

void rate(benchmark::State& state, std::uint64_t bytes) {
  state.counters["bytes/s"] =
      benchmark::Counter(static_cast<double>(bytes) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["processes"] = process::cores();
}

golden::SetRequest layer(const std::string& operation, const std::string& shape, std::uint64_t cases) {
  return {.operation = operation, .cases = cases, .shapes = {shape}, .regime = "random"};
}

void make_dequantized(benchmark::State& state, const std::string& operation) {
  const Folder folder;
  for (auto _ : state)
    golden::make(layer(operation, "N=14336,K=4096", 4), folder.path(), {.jobs = process::cores(), .fresh = true});
  rate(state, bytes_in(folder.path()));
}

void check_dequantized(benchmark::State& state, const std::string& operation, bool all) {
  const Folder folder;
  golden::make(layer(operation, "N=14336,K=4096", 4), folder.path(), {.jobs = process::cores()});
  for (auto _ : state) golden::check(folder.path(), {.jobs = process::cores(), .all = all});
  rate(state, bytes_in(folder.path()));
}

constexpr std::size_t kTokens = 512, kOutputs = 4096, kInputs = 4096;

void make_product(benchmark::State& state) {
  const Folder folder;
  for (auto _ : state)
    golden::make(layer("gemm_fp4", "M=512,N=4096,K=4096", 1), folder.path(), {.jobs = 1, .fresh = true});
  rate(state, bytes_in(folder.path()));
}

/// What is right for the same product, of halves that are there already.
void reference_product_alone(benchmark::State& state) {
  const std::vector<std::uint16_t> A(kTokens * kInputs, 0x3C01), W(kInputs * kOutputs, 0xB802);
  for (auto _ : state)
    benchmark::DoNotOptimize(properties::expect_product("C", kTokens, kOutputs, kInputs, A, W, {}));
}

BENCHMARK_CAPTURE(make_dequantized, fp4, std::string("dequantize_fp4"))->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(make_dequantized, u4, std::string("dequantize_u4"))->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(make_dequantized, s4, std::string("dequantize_s4"))->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(make_dequantized, trellis, std::string("dequantize_trellis"))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_dequantized, sample, std::string("dequantize_fp4"), false)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_dequantized, all, std::string("dequantize_fp4"), true)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(make_product)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(reference_product_alone)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
