// Every regime must reject the faults that it is there for, and no regime a right kernel.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "properties/search.hpp"
#include "tests/properties/model_kernel.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using testing::count_rejected;
using testing::fault;
using testing::Fault;
using testing::ModelKernel;

double flush_subnormal(double x) { return std::fabs(x) < 0x1p-14 ? 0.0 : x; }

/// Faults that packed weights and their scales can have.
std::vector<Fault> weight_faults(const std::vector<std::string>& regimes,
                                 const std::vector<std::string>& scaled,
                                 const std::vector<std::string>& tiny) {
  return {
      fault("nibbles reversed", regimes,
            [](ModelKernel& k) { k.nibble = [](std::size_t i) { return 7 - i % 8; }; }),
      fault("nibbles as magic pairs", regimes,
            [](ModelKernel& k) { k.nibble = [](std::size_t i) { return i % 2 * 4 + i % 8 / 2; }; }),
      fault("code 1 is 0.25", regimes,
            [](ModelKernel& k) {
              k.value = [](unsigned c) {
                return c % 8 == 1 ? reference::fp4_value(c) / 2 : reference::fp4_value(c);
              };
            }),
      fault("scale of the neighbouring group", scaled,
            [](ModelKernel& k) {
              k.group = [](std::size_t i, std::size_t size, std::size_t rows) {
                return (i / size + 1) % rows;
              };
            }),
      fault("one scale for a K tile of 32", scaled,
            [](ModelKernel& k) {
              k.group = [](std::size_t i, std::size_t size, std::size_t) { return i / 32 * 32 / size; };
            }),
      fault("sign of the scale lost", scaled,
            [](ModelKernel& k) { k.scale = [](double s) { return std::fabs(s); }; }),
      fault("subnormal weights flushed", tiny,
            [](ModelKernel& k) {
              k.round_weight = [](double w) { return flush_subnormal(reference::round_to_half(w)); };
            }),
      fault("columns exchanged", regimes,
            [](ModelKernel& k) {
              k.column = [](std::size_t n, std::size_t N) { return std::min(n ^ 1, N - 1); };
            }),
  };
}

std::vector<Fault> gemm_faults() {
  std::vector<Fault> faults = weight_faults({"exact", "probe", "random", "cancel", "special"},
                                            {"exact", "probe", "random", "special"}, {"probe"});
  const std::vector<std::string> sums = {"constant", "exact", "random", "cancel", "special"};
  faults.push_back(fault("K tail dropped", sums,
                         [](ModelKernel& k) { k.terms = [](std::size_t K) { return K / 8 * 8; }; }));
  faults.push_back(fault("last k summed twice", sums,
                         [](ModelKernel& k) { k.terms = [](std::size_t K) { return K + 1; }; }));
  faults.push_back(fault(
      "rows exchanged", {"exact", "probe", "single", "random", "cancel", "special"},
      [](ModelKernel& k) { k.row = [](std::size_t m, std::size_t M) { return std::min(m ^ 1, M - 1); }; }));
  faults.push_back(fault("half accumulator", {"random", "cancel"},
                         [](ModelKernel& k) { k.round_sum = reference::round_to_half; }));
  faults.push_back(fault("weights not rounded to half", {"random", "special"},
                         [](ModelKernel& k) { k.round_weight = [](double w) { return w; }; }));
  faults.push_back(fault("result truncated", {"random", "special"}, [](ModelKernel& k) {
    k.store = [](double x) {
      const std::uint16_t nearest = reference::half_from_double(x);
      const bool away = std::fabs(reference::half_to_double(nearest)) > std::fabs(x);
      return static_cast<std::uint16_t>(away ? nearest - 1 : nearest);
    };
  }));
  faults.push_back(fault("NaN and infinity cleared", {"special"}, [](ModelKernel& k) {
    k.round_weight = [](double w) {
      return std::isfinite(reference::round_to_half(w)) ? reference::round_to_half(w) : 0.0;
    };
  }));
  return faults;
}

std::vector<Fault> dequantize_faults() {
  std::vector<Fault> faults = weight_faults({"constant", "exact", "random", "sweep", "any"},
                                            {"exact", "random", "sweep", "any"}, {"any", "sweep"});
  faults.push_back(
      fault("-0 written as 0", {"constant", "exact", "random", "sweep", "any"}, [](ModelKernel& k) {
        k.store = [](double x) { return reference::half_from_double(x == 0.0 ? 0.0 : x); };
      }));
  faults.push_back(fault("overflow saturates", {"any", "sweep"}, [](ModelKernel& k) {
    k.round_weight = [](double w) { return std::clamp(reference::round_to_half(w), -65504.0, 65504.0); };
  }));
  faults.push_back(fault("weights truncated", {"random", "any", "sweep"}, [](ModelKernel& k) {
    k.round_weight = [](double w) {
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(w) & ~((std::uint64_t{1} << 42) - 1));
    };
  }));
  return faults;
}

Case ragged(const std::string& operation, const std::string& regime, std::uint64_t seed) {
  Case problem = testing::gemm_case(18, 20, 93, 16, regime, seed);
  if (operation == "dequantize_fp4") problem.dims.erase("M");
  problem.operation = operation;
  if (operation == "gemm_fp4" && regime == "exact") problem.knobs["range"] = 3;
  if (regime == "probe" || regime == "single") problem.knobs["first"] = static_cast<std::int64_t>(19 * seed);
  if (regime == "sweep") problem.knobs["first"] = static_cast<std::int64_t>(1000 * seed);
  return problem;
}

class RejectedBy : public ::testing::TestWithParam<std::string> {};

TEST_P(RejectedBy, EveryRegimeMeantToCatchIt) {
  const Operation& operation = find_operation(GetParam());
  const bool gemm = GetParam() == "gemm_fp4";
  for (const Fault& one : gemm ? gemm_faults() : dequantize_faults()) {
    for (const std::string& regime : one.regimes) {
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const verify::Problem problem = operation.make_problem(ragged(GetParam(), regime, seed));
        const verify::Expectation expected = operation.expect(problem, {})[0];
        const auto written = gemm ? one.kernel.gemm(problem) : one.kernel.dequantize(problem);
        EXPECT_GT(count_rejected(expected, written), 0U)
            << one.name << " passes under " << regime << ", seed " << seed;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operation, RejectedBy, ::testing::Values("gemm_fp4", "dequantize_fp4"),
                         [](const auto& one) { return one.param; });

RC_GTEST_PROP(RightKernel, IsNeverRejected, (bool backwards)) {
  const std::string name = *rc::gen::elementOf(std::vector<std::string>{"gemm_fp4", "dequantize_fp4"});
  const Operation& operation = find_operation(name);
  const Case described =
      *operation.cases(testing::common_tile(), {.largest = 1 << 14, .least = 1 << 8}).as("case");
  const verify::Problem problem = operation.make_problem(described);
  ModelKernel kernel;
  kernel.backwards = backwards;
  const auto written = name == "gemm_fp4" ? kernel.gemm(problem) : kernel.dequantize(problem);
  RC_ASSERT(count_rejected(operation.expect(problem, {})[0], written) == 0U);
}

TEST(Probe, EveryKIsProbedOverTheCases) {
  const auto cases = find_operation("gemm_fp4").cases(testing::common_tile());
  std::vector<bool> probed(64);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Case problem = case_at(cases, 1, i);
    if (problem.regime != "probe" || dim(problem.dims, "K") < 64) continue;
    const auto made = find_operation("gemm_fp4").make_problem(problem);
    const std::size_t K = extent(problem.dims, "K");
    const auto A = input(made, "A").as<std::uint16_t>();
    for (std::size_t j = 0; j < A.size(); ++j) {
      if (A[j] != 0 && j % K < 64) probed[j % K] = true;
    }
  }
  EXPECT_EQ(std::count(probed.begin(), probed.end(), true), 64);
}

TEST(Sweep, ReachesEveryScaleUnderEveryCode) {
  // 1024 x 64 in groups of 16: 4096 scales a case, each with all 16 codes; 16 cases.
  const Operation& operation = find_operation("dequantize_fp4");
  std::vector<std::uint16_t> codes_of(65536);
  for (std::int64_t i = 0; i < 16; ++i) {
    const Case problem = {.operation = "dequantize_fp4",
                          .dims = {{"K", 1024}, {"N", 64}, {"group_size", 16}},
                          .regime = "sweep",
                          .knobs = {{"first", i * 4096 * 0x9E37 % 65536}},
                          .seed = 0};
    const verify::Problem made = operation.make_problem(problem);
    const auto B = input(made, "B").as<std::uint32_t>();
    const auto scales = input(made, "scales").as<std::uint16_t>();
    for (std::size_t k = 0; k < 1024; ++k) {
      for (std::size_t n = 0; n < 64; ++n) {
        const unsigned code = B[k / 8 * 64 + n] >> (4 * (k % 8)) & 0xF;
        auto& reached = codes_of[scales[k / 16 * 64 + n]];
        reached = static_cast<std::uint16_t>(reached | 1U << code);
      }
    }
  }
  EXPECT_EQ(std::count(codes_of.begin(), codes_of.end(), 0xFFFF), 65536);
}

}  // namespace
}  // namespace assay::properties
