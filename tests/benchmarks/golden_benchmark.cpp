// Speed of golden sets: how many bytes of files are made and checked in a second on all cores; of products,
// beside what the reference product of the same values takes by itself, in one process and in two.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "golden/check.hpp"
#include "golden/make.hpp"
#include "harness/process/pool.hpp"
#include "harness/process/slots.hpp"
#include "properties/cases/operation.hpp"
#include "properties/operations/products/gemm_expectation.hpp"
#include "reference/dequantize.hpp"

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
  state.counters["bytes/s"] = benchmark::Counter(
      static_cast<double>(bytes) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["processes"] = process::cores();
}

golden::SetRequest layer(const std::string& operation, const std::string& shape, std::uint64_t cases) {
  return {.operation = operation, .cases = cases, .shapes = {shape}, .regime = "random"};
}

void make_dequantized(benchmark::State& state, const std::string& operation) {
  const Folder folder;
  for (auto _ : state)
    golden::make(layer(operation, "N=14336,K=4096", 4), folder.path(),
                 {.jobs = process::cores(), .fresh = true});
  rate(state, bytes_in(folder.path()));
}

void check_dequantized(benchmark::State& state, const std::string& operation, bool all) {
  const Folder folder;
  golden::make(layer(operation, "N=14336,K=4096", 4), folder.path(), {.jobs = process::cores()});
  for (auto _ : state) golden::check(folder.path(), {.jobs = process::cores(), .all = all});
  rate(state, bytes_in(folder.path()));
}

constexpr std::size_t kTokens = 512, kOutputs = 4096, kInputs = 4096;

/// The halves of the product that is made: what is left once values are drawn and weights are dequantized.
struct Halves {
  std::vector<std::uint16_t> A, W;

  Halves() {
    const Problem problem =
        properties::find_operation("gemm_fp4")
            .make_problem(properties::parse_line(
                "operation=gemm_fp4 K=4096 M=512 N=4096 group_size=128 regime=random seed=1"));
    const auto drawn = assay::input(problem, "A").as<std::uint16_t>();
    A.assign(drawn.begin(), drawn.end());
    W = reference::dequantize_fp4(kInputs, kOutputs, 128, assay::input(problem, "B").as<std::uint32_t>(),
                                  assay::input(problem, "scales").as<std::uint16_t>());
  }

  /// Share `number` of the columns of W.
  std::vector<std::uint16_t> columns(unsigned number, unsigned of) const {
    const std::size_t first = kOutputs * number / of, last = kOutputs * (number + 1) / of;
    std::vector<std::uint16_t> part;
    for (std::size_t k = 0; k < kInputs; ++k)
      part.insert(part.end(), W.begin() + static_cast<std::ptrdiff_t>(k * kOutputs + first),
                  W.begin() + static_cast<std::ptrdiff_t>(k * kOutputs + last));
    return part;
  }
};

/// What is right for so many such products, by so many processes: each takes whole products where there are
/// as many, and else a share of the columns.
class ReferenceProducts {
 public:
  ReferenceProducts(unsigned processes, unsigned products) : processes_(processes) {
    static const Halves halves;
    A_ = halves.A;
    const unsigned shares = products % processes == 0 ? 1 : processes;
    for (unsigned i = 0; i < shares; ++i) shares_.push_back(halves.columns(i, shares));
    jobs_ = products * shares;
  }

  /// How many seconds it took.
  double run() const {
    const auto start = std::chrono::steady_clock::now();
    process::Pool pool(processes_);
    for (unsigned i = 0; i < jobs_; ++i) {
      process::Job job;
      job.work = [this, &share = shares_[i % shares_.size()]](const process::Reporter&) {
        benchmark::DoNotOptimize(
            properties::expect_product("C", kTokens, share.size() / kInputs, kInputs, A_, share, {}));
      };
      job.ended = [](const process::JobEnd& end) {
        if (!end.clean()) throw std::runtime_error("the reference product failed");
      };
      pool.add(std::move(job));
    }
    pool.run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  unsigned processes_, jobs_ = 0;
  std::vector<std::uint16_t> A_;
  std::vector<std::vector<std::uint16_t>> shares_;
};

/// A set of products, and how many times as long it takes as the reference products alone in as many
/// processes. Both run in turn, and the least of either counts: what else the machine does is in neither.
void make_products(benchmark::State& state) {
  const auto processes = static_cast<unsigned>(state.range(0)),
             products = static_cast<unsigned>(state.range(1));
  const Folder folder;
  const ReferenceProducts reference(processes, products);
  double made = HUGE_VAL, alone = HUGE_VAL;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    golden::make(layer("gemm_fp4", "M=512,N=4096,K=4096", products), folder.path(),
                 {.jobs = processes, .fresh = true});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds);
    made = std::min(made, seconds);
    alone = std::min(alone, reference.run());
  }
  state.counters["made_s"] = made;
  state.counters["reference_s"] = alone;
  state.counters["times_reference"] = made / alone;
}

BENCHMARK_CAPTURE(make_dequantized, fp4, std::string("dequantize_fp4"))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(make_dequantized, u4, std::string("dequantize_u4"))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(make_dequantized, s4, std::string("dequantize_s4"))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(make_dequantized, trellis, std::string("dequantize_trellis"))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_dequantized, sample, std::string("dequantize_fp4"), false)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_dequantized, all, std::string("dequantize_fp4"), true)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(make_products)
    ->ArgNames({"processes", "products"})
    ->Args({1, 1})
    ->Args({2, 1})
    ->Args({2, 4})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
