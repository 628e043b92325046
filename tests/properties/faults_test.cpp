// Every regime must reject the faults that it is there for, and no regime a right kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "properties/cases/generator.hpp"
#include "properties/cases/search.hpp"
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

bool is_gemm(const std::string& operation) { return operation.starts_with("gemm"); }

/// Faults that zero points can have, in a product or in dequantization.
std::vector<Fault> zero_point_faults(const std::string& operation) {
  using Regimes = std::vector<std::string>;
  const bool gemm = is_gemm(operation);
  const ModelKernel right = ModelKernel::of(operation);
  const Regimes all = gemm ? Regimes{"constant", "exact", "probe", "single", "random", "cancel", "special"}
                           : Regimes{"constant", "exact", "random", "sweep", "any"};
  const Regimes fractional = gemm ? Regimes{"constant", "exact", "probe", "random", "cancel", "special"}
                                  : Regimes{"constant", "exact", "random", "sweep", "any"};
  const Regimes by_column = gemm ? Regimes{"exact", "probe", "single", "random", "cancel", "special"}
                                 : Regimes{"exact", "random", "sweep", "any"};
  const Regimes by_group = gemm ? Regimes{"exact", "probe", "single", "random", "special"} : by_column;
  const Regimes scaled = gemm ? Regimes{"exact", "probe", "random", "special"} : by_column;
  const Regimes bits = gemm ? Regimes{"probe"} : Regimes{"random", "sweep", "any"};
  const Regimes codes = gemm ? by_group : all;
  std::vector<Fault> faults;
  const auto add = [&](const char* name, const Regimes& regimes,
                       const std::function<void(ModelKernel&)>& spoil) {
    faults.push_back(fault(name, regimes, spoil, right));
  };
  add("magic pairs taken as neighbours", codes,
      [](ModelKernel& k) { k.nibble = [](std::size_t i) { return i % 2 * 4 + i % 8 / 2; }; });
  add("zero point rounded to an integer", fractional,
      [](ModelKernel& k) { k.zero = [](double z) { return std::nearbyint(z); }; });
  add("zero point cut to an integer", fractional,
      [](ModelKernel& k) { k.zero = [](double z) { return std::trunc(z); }; });
  add("zero point left out", all, [](ModelKernel& k) { k.zero = [](double) { return 0.0; }; });
  add("sign of the zero point lost", by_column, [](ModelKernel& k) {
    k.chain = [](double n, double z, double s, double o) { return ModelKernel::half_chain(n, -z, s, o); };
  });
  add("zero point of the next group", by_group, [](ModelKernel& k) {
    k.zero_group = [](std::size_t i, std::size_t size, std::size_t rows) { return (i / size + 1) % rows; };
  });
  add("zero point of the first group", by_group, [](ModelKernel& k) {
    k.zero_group = [](std::size_t, std::size_t, std::size_t) { return std::size_t{0}; };
  });
  add("zero point of the next column", by_column,
      [](ModelKernel& k) { k.zero_column = [](std::size_t n, std::size_t N) { return (n + 1) % N; }; });
  add("scale of the next group", scaled, [](ModelKernel& k) {
    k.group = [](std::size_t i, std::size_t size, std::size_t rows) { return (i / size + 1) % rows; };
  });
  add("zero point subtracted after scaling", scaled, [](ModelKernel& k) {
    k.chain = [](double n, double z, double s, double offset) { return (n - offset) * s - z; };
  });
  add("float chain where the half chain is declared", bits,
      [](ModelKernel& k) { k.chain = ModelKernel::float_chain; });
  if (operation.ends_with("_s4")) {
    add("offset of signed codes forgotten", all, [](ModelKernel& k) { k.stored_offset = 0; });
    add("offset of signed codes taken away before the zero point", bits, [](ModelKernel& k) {
      k.chain = [](double n, double z, double s, double offset) {
        return reference::round_to_half(n - offset - z) * s;
      };
    });
  }
  return faults;
}

std::vector<Fault> faults_of(const std::string& operation) {
  if (!operation.ends_with("_fp4")) return zero_point_faults(operation);
  return is_gemm(operation) ? gemm_faults() : dequantize_faults();
}

Case ragged(const std::string& operation, const std::string& regime, std::uint64_t seed) {
  Case test_case = testing::gemm_case(18, 20, 93, 16, regime, seed);
  if (!is_gemm(operation)) test_case.dims.erase("M");
  test_case.operation = operation;
  if (is_gemm(operation) && regime == "exact") test_case.knobs["range"] = 3;
  if (regime == "probe" || regime == "single")
    test_case.knobs["first"] = static_cast<std::int64_t>(19 * seed);
  if (regime == "sweep") {
    test_case.knobs["first"] = static_cast<std::int64_t>(1000 * seed);
    if (!operation.ends_with("_fp4")) test_case.knobs["zero"] = static_cast<std::int64_t>(3000 * seed);
  }
  return test_case;
}

std::size_t rejected_elements(const Operation& operation, const Problem& problem, const ModelKernel& kernel,
                              const Arithmetic& arithmetic = {}) {
  const auto written = is_gemm(operation.name()) ? kernel.gemm(problem) : kernel.dequantize(problem);
  return count_rejected(operation.expect(problem, arithmetic)[0], written);
}

class RejectedBy : public ::testing::TestWithParam<std::string> {};

TEST_P(RejectedBy, EveryRegimeMeantToCatchIt) {
  const Operation& operation = find_operation(GetParam());
  for (const Fault& one : faults_of(GetParam())) {
    for (const std::string& regime : one.regimes) {
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const Problem problem = operation.make_problem(ragged(GetParam(), regime, seed));
        EXPECT_GT(rejected_elements(operation, problem, one.kernel), 0U)
            << one.name << " passes under " << regime << ", seed " << seed;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operation, RejectedBy,
                         ::testing::Values("gemm_fp4", "gemm_u4", "gemm_s4", "dequantize_fp4",
                                           "dequantize_u4", "dequantize_s4"),
                         [](const auto& one) { return one.param; });

TEST(Chain, HalfChainIsRejectedWhereTheFloatChainIsDeclared) {
  const Arithmetic float_chain = {.dequantize = Precision::float_precision};
  for (const std::string name : {"dequantize_u4", "dequantize_s4", "gemm_u4", "gemm_s4"}) {
    const Operation& operation = find_operation(name);
    ModelKernel kernel = ModelKernel::of(name);
    const auto regimes = is_gemm(name) ? std::vector<std::string>{"probe"}
                                       : std::vector<std::string>{"random", "sweep", "any"};
    for (const std::string& regime : regimes) {
      const Problem problem = operation.make_problem(ragged(name, regime, 1));
      EXPECT_GT(rejected_elements(operation, problem, kernel, float_chain), 0U) << name << " " << regime;
    }
  }
}

RC_GTEST_PROP(RightKernel, IsNeverRejected, (bool backwards, bool float_chain)) {
  const std::string name = *rc::gen::elementOf(std::vector<std::string>{
      "gemm_fp4", "gemm_u4", "gemm_s4", "dequantize_fp4", "dequantize_u4", "dequantize_s4"});
  const Operation& operation = find_operation(name);
  const Case described =
      *generator_of(operation.cases(testing::common_tile(), {.largest = 1 << 14, .least = 1 << 8}))
           .as("case");
  const Problem problem = operation.make_problem(described);
  ModelKernel kernel = ModelKernel::of(name);
  kernel.backwards = backwards;
  if (float_chain) kernel.chain = ModelKernel::float_chain;
  const auto chain = float_chain ? Precision::float_precision : Precision::half_precision;
  RC_ASSERT(rejected_elements(operation, problem, kernel, {.dequantize = chain}) == 0U);
}

TEST(Probe, EveryKIsProbedOverTheCases) {
  const auto cases = find_operation("gemm_fp4").cases(testing::common_tile());
  std::vector<bool> probed(64);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Case test_case = case_at(cases, 1, i);
    if (test_case.regime != "probe" || dim(test_case.dims, "K") < 64) continue;
    const auto made = find_operation("gemm_fp4").make_problem(test_case);
    const std::size_t K = extent(test_case.dims, "K");
    const auto A = input(made, "A").as<std::uint16_t>();
    for (std::size_t j = 0; j < A.size(); ++j) {
      if (A[j] != 0 && j % K < 64) probed[j % K] = true;
    }
  }
  EXPECT_EQ(std::count(probed.begin(), probed.end(), true), 64);
}

/// Which codes each half meets in a tensor of one half per group over 16 cases of a sweep: 1024 x 64 in
/// groups of 16 is 4096 of them a case, each with all 16 codes.
std::vector<std::uint16_t> codes_met(const std::string& operation, const char* tensor, const char* knob,
                                     std::int64_t step) {
  std::vector<std::uint16_t> codes_of(65536);
  for (std::int64_t i = 0; i < 16; ++i) {
    const Case test_case = {.operation = operation,
                            .dims = {{"K", 1024}, {"N", 64}, {"group_size", 16}},
                            .regime = "sweep",
                            .knobs = {{knob, i * 4096 * step % 65536}},
                            .seed = 0};
    const Problem problem = find_operation(operation).make_problem(test_case);
    const auto B = input(problem, "B").as<std::uint32_t>();
    const auto halves = input(problem, tensor).as<std::uint16_t>();
    for (std::size_t k = 0; k < 1024; ++k) {
      for (std::size_t n = 0; n < 64; ++n) {
        const unsigned code = B[k / 8 * 64 + n] >> (4 * (k % 8)) & 0xF;
        auto& reached = codes_of[halves[k / 16 * 64 + n]];
        reached = static_cast<std::uint16_t>(reached | 1U << code);
      }
    }
  }
  return codes_of;
}

TEST(Sweep, ReachesEveryScaleUnderEveryCode) {
  const auto met = codes_met("dequantize_fp4", "scales", "first", 0x9E37);
  EXPECT_EQ(std::count(met.begin(), met.end(), 0xFFFF), 65536);
}

TEST(Sweep, ReachesEveryZeroPointUnderEveryCode) {
  const auto met = codes_met("dequantize_s4", "zeros", "zero", 0x6A5D);
  EXPECT_EQ(std::count(met.begin(), met.end(), 0xFFFF), 65536);
}

/// Zero points of 30 cases of a regime, on a shape of many groups.
std::vector<double> zeros_of(const std::string& operation, const std::string& regime) {
  std::vector<double> drawn;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = find_operation(operation).make_problem(ragged(operation, regime, seed));
    for (const std::uint16_t zero : input(problem, "zeros").as<std::uint16_t>()) {
      drawn.push_back(reference::half_to_double(zero));
    }
  }
  return drawn;
}

TEST(ZeroPoints, AreFractionalWhereverWeightsMayBe) {
  for (const char* operation : {"gemm_u4", "gemm_s4"}) {
    for (const char* regime : {"constant", "exact", "probe", "random", "cancel", "special"}) {
      const auto zeros = zeros_of(operation, regime);
      const auto fractional =
          std::count_if(zeros.begin(), zeros.end(), [](double z) { return z != std::nearbyint(z); });
      EXPECT_GT(fractional, std::ssize(zeros) / 3) << operation << " " << regime;
    }
  }
}

TEST(ZeroPoints, OfExactSumsKeepEverySumExact) {
  for (const char* operation : {"gemm_u4", "gemm_s4"}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      Case test_case = testing::gemm_case(5, 7, 4096, 24, "exact", seed);
      test_case.operation = operation;
      test_case.knobs["range"] = 3;
      const auto expected =
          find_operation(operation).expect(find_operation(operation).make_problem(test_case), {});
      EXPECT_THAT(expected[0].bound, ::testing::StartsWith("exact")) << operation << ", seed " << seed;
    }
  }
}

TEST(ZeroPoints, ProbesReachTinyAndNegativeOnes) {
  for (const char* operation : {"gemm_u4", "gemm_s4"}) {
    const auto zeros = zeros_of(operation, "probe");
    EXPECT_TRUE(
        std::any_of(zeros.begin(), zeros.end(), [](double z) { return z != 0 && std::fabs(z) < 0x1p-14; }));
    EXPECT_TRUE(std::any_of(zeros.begin(), zeros.end(), [](double z) { return z < 0; })) << operation;
    EXPECT_TRUE(std::all_of(zeros.begin(), zeros.end(), [](double z) { return std::fabs(z) <= 16; }))
        << operation;
  }
}

}  // namespace
}  // namespace assay::properties
