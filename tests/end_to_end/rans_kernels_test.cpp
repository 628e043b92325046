// The rANS kernels on symbols and vectors that no regime of theirs draws.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "golden/safetensors.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/test_devices.hpp"
#include "harness/simulator/simulated_gpu.hpp"
#include "harness/verify/run_problem.hpp"
#include "properties/cases/trial.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "reference/rans_matrix.hpp"
#include "tests/rans_symbols.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay {
namespace {

const std::vector<KernelEntry>& kernels() {
  static const auto entries = run::load_manifest(ASSAY_SOURCE_DIR "/kernels/kernels.toml");
  return entries;
}

const KernelEntry& kernel(const std::string& name) { return *run::choose(kernels(), {name})[0]; }

/// A problem without its values: zeros of the declared shapes.
Problem empty_problem(const std::string& operation, const Dims& dims) {
  const auto& regime = properties::find_operation(operation).declaration().regimes.front().name;
  return properties::find_operation(operation).make_problem({operation, dims, regime, {}, 0});
}

// 10,000 streams and more: each spread of symbols in each number of streams, a tile a row and half of a row,
// so that many streams are empty. What the kernel decodes is what was encoded.
TEST(RansKernels, TenThousandStreamsSurvive) {
  simulator::SimulatedGpu gpu({.mode = simulator::Mode::fast, .limits = {}});
  const KernelEntry& entry = kernel("rans_decode");
  const auto loaded = gpu.load(entry.kernel_source());
  std::mt19937 random(4);
  std::size_t streams = 0, empty_streams = 0;
  for (const std::int64_t interleaved : {1, 4, 8, 32}) {
    const std::int64_t rows = 400 / interleaved + 10;
    for (const tests::Spread spread : tests::kSpreads) {
      const Dims dims = {
          {"M", rows}, {"N", 45}, {"tile_rows", 1}, {"tile_cols", 32}, {"streams", interleaved}};
      Problem problem = empty_problem("rans_decode", dims);
      std::vector<std::uint8_t> symbols;
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto own = tests::draw_symbols(spread, 45, random);
        symbols.insert(symbols.end(), own.begin(), own.end());
      }
      properties::put_symbols(symbols, problem);
      properties::find_operation("rans_decode").settle_counts(problem);
      const auto run = assay::run_problem(gpu, loaded, entry, problem);
      ASSERT_TRUE(run.report.clean());
      const auto decoded = run.outputs.at(0).as<std::uint8_t>();
      ASSERT_TRUE(std::equal(decoded.begin(), decoded.end(), symbols.begin(), symbols.end()));
      const auto status = run.outputs.at(1).as<std::uint32_t>();
      ASSERT_EQ(std::count(status.begin(), status.end(), 0U), 2 * rows);
      streams += static_cast<std::size_t>(2 * rows * interleaved);
      empty_streams += interleaved == 32 ? static_cast<std::size_t>(rows * (32 - 13)) : 0;
    }
  }
  EXPECT_GE(streams, 10'000U);
  EXPECT_GE(empty_streams, 1'000U);
}

void copy(const golden::Dataset& vectors, const std::string& from, Tensor& to) {
  const Tensor& tensor = *vectors.find(from);
  ASSERT_EQ(tensor.dtype, to.dtype) << from;
  ASSERT_EQ(tensor.element_count(), to.element_count()) << from;
  to.data = tensor.data;
}

/// A problem of the operation that has the weights and operands of the vectors.
Problem problem_of(const std::string& operation, const golden::Dataset& vectors) {
  const auto parameter = [&](const char* name) {
    return static_cast<std::int64_t>(tests::parameter(vectors, name));
  };
  Dims dims = {{"M", parameter("M")}, {"N", parameter("N")}, {"streams", parameter("streams")}};
  if (operation != "rans_gemv") {
    dims["tile_rows"] = parameter("tile_rows");
    dims["tile_cols"] = parameter("tile_cols");
  }
  if (operation == "rans_gemm") dims["batch"] = 5;
  Problem problem = empty_problem(operation, dims);
  properties::resize_vector(input(problem, "data"), vectors.find("data")->element_count());
  for (const char* name : {"freq", "stream_offset", "n_symbols", "data"})
    copy(vectors, name, input(problem, name));
  const auto checksums = reference::rans_checksums(
      properties::layout_of(problem.dims), tests::elements<std::uint8_t>(vectors, "symbols", DType::u8));
  std::copy(checksums.begin(), checksums.end(), input(problem, "checksums").as<std::uint32_t>().begin());
  if (operation != "rans_decode") {
    copy(vectors, operation == "rans_gemm" ? "batch_input" : "input", input(problem, "x"));
    input(problem, "scale").as<float>()[0] = tests::floats(vectors, "scale_zero")[0];
    input(problem, "zero_point").as<float>()[0] = tests::floats(vectors, "scale_zero")[1];
  }
  properties::find_operation(operation).settle_counts(problem);
  return problem;
}

TEST(RansKernels, AgreeWithIndependentVectors) {
  std::size_t tried = 0;
  for (const auto mode : {run::Mode::fast, run::Mode::checked}) {
    for (const char* name : {"rans_decode", "fused_rans_gemv", "fused_rans_gemm", "fused_rans_gemm_128x32"}) {
      const KernelEntry& entry = kernel(name);
      run::TestDevices devices(mode);
      const properties::Trial trial(entry, devices.devices());
      for (const auto& path : tests::independent_vectors("rans_")) {
        SCOPED_TRACE(name + (": " + path.string()));
        const golden::Dataset vectors = golden::read_safetensors(path);
        const bool rows = tests::parameter(vectors, "tile_rows") == 1;
        if (entry.operation == "rans_gemv" && !rows) continue;
        const Problem problem = problem_of(entry.operation, vectors);
        if (entry.unmet_requirement(problem.dims)) continue;
        const auto result = trial.run(problem);
        EXPECT_EQ(result.outcome.verdict, Verdict::pass) << result.outcome.summary;
        ++tried;
      }
    }
  }
  EXPECT_EQ(tried, 2U * (5 + 3 + 1 + 1));  // decode takes all, GEMV rows, each GEMM its tiles
}

}  // namespace
}  // namespace assay
