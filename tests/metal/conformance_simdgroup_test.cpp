// Conformance: what the lanes of a simdgroup do together: reductions, matrices, and fragments of matrices.
#include <cmath>
#include <limits>

#include "harness/metal/module/module.hpp"
#include "tests/metal/conformance.hpp"

namespace assay::metal {
namespace {

class ConformanceOfSimdgroups : public BothModes {};
ASSAY_BOTH_MODES(ConformanceOfSimdgroups);
class ConformanceOfFragments : public BothModes {};
ASSAY_CHECKED_MODE(ConformanceOfFragments);

constexpr std::uint32_t kTables = 2, kPlayers = 75;

struct Shares {
  std::vector<float> scores = whole_numbers<float>(kTables * kPlayers, -3, 3, 41);
  std::vector<Half> handicaps = whole_numbers<Half>(kPlayers, -2, 2, 42);
  Shares() { handicaps[70] = static_cast<Half>(-std::numeric_limits<float>::infinity()); }

  Finished run(const std::string& function, simulator::Mode mode) const {
    auto kernel = conformance_kernel("simdgroup_reductions", function);
    kernel.buffer(0, scores).buffer(1, handicaps).buffer(2, std::vector<float>(scores.size()));
    kernel.value(3, kPlayers).threadgroup_bytes({32 * 4}).grid({kTables, 1, 1}, {64, 1, 1});
    return kernel.run(mode);
  }
  void expect(const std::vector<float>& out) const {
    for (std::size_t table = 0; table < kTables; ++table) {
      double sum = 0;
      const auto weight = [&](std::size_t k) {
        return std::exp(double(scores[table * kPlayers + k]) + double(handicaps[k]));
      };
      for (std::size_t k = 0; k < kPlayers; ++k) sum += weight(k);
      for (std::size_t k = 0; k < kPlayers; ++k)
        EXPECT_NEAR(out[table * kPlayers + k], weight(k) / sum, 1e-6) << table << " " << k;
      EXPECT_EQ(out[table * kPlayers + 70], 0);
    }
  }
};

TEST_P(ConformanceOfSimdgroups, ReductionsInTwoSteps) {
  const Shares shares;
  const auto finished = shares.run("shares_unordered", GetParam().mode);
  shares.expect(finished.values<float>(2));
  // A barrier with mem_none orders no memory: slots are cleared while others may still read them.
  if (GetParam().mode == simulator::Mode::checked) {
    ASSERT_EQ(finished.report.faults.size(), 1u);
    EXPECT_EQ(finished.report.faults[0].kind, device::FaultKind::race);
  } else {
    EXPECT_TRUE(finished.report.faults.empty());
  }
}

TEST_P(ConformanceOfFragments, ReductionsWhoseBarrierOrdersMemory) {
  const Shares shares;
  const auto finished = shares.run("shares_ordered", GetParam().mode);
  shares.expect(finished.values<float>(2));
  EXPECT_TRUE(finished.report.faults.empty());
}

struct ProductSizes {
  std::int32_t rows, columns;
  std::int16_t depth;
};

template <class Code>
void expect_coded_product(const std::string& function, const std::string& guarded, ProductSizes sizes,
                          auto&& run) {
  const auto rows = std::size_t(sizes.rows), columns = std::size_t(sizes.columns),
             depth = std::size_t(sizes.depth);
  const auto x = whole_numbers<float>(rows * depth, -4, 4, 43);
  const auto codes = whole_numbers<Code>(columns * depth, -9, 9, 44);
  auto kernel = conformance_kernel("simdgroup_matrices", function);
  kernel.constant(7, guarded).buffer(0, x).buffer(1, codes).buffer(2, std::vector<float>(rows * columns, -1));
  kernel.value(3, sizes).threadgroup_bytes({16 * 16 * 8});
  kernel.grid({unsigned(columns + 15) / 16, unsigned(rows + 15) / 16, 1}, {64, 1, 1});
  const auto out = run(kernel).template values<float>(2);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < depth; ++k) sum += x[r * depth + k] * float(codes[c * depth + k]);
      ASSERT_EQ(out[r * columns + c], sum) << r << " " << c;
    }
  }
}

TEST_P(ConformanceOfSimdgroups, FunctionsAsTemplateArguments) {
  expect_coded_product<std::int8_t>("product_of_steps", "false", {32, 16, 48}, run_clean);
}
TEST_P(ConformanceOfFragments, FunctionsAsTemplateArgumentsOfRaggedProducts) {
  expect_coded_product<std::int8_t>("product_of_steps", "true", {21, 37, 32}, run_clean);
}
TEST_P(ConformanceOfFragments, OtherTypesForTheSameTemplate) {
  expect_coded_product<float>("product_of_floats", "true", {9, 17, 16}, run_clean);
}

TEST_P(ConformanceOfFragments, TransposedLoadsAndStores) {
  const auto a = whole_numbers<Half>(80, -5, 5, 45);
  const auto b = whole_numbers<float>(128, -5, 5, 46);
  auto kernel = conformance_kernel("simdgroup_matrices", "transposed_product");
  kernel.buffer(0, a).buffer(1, b).buffer(2, std::vector<float>(64)).threadgroup_bytes({256});
  kernel.grid({1, 1, 1}, {32, 1, 1});
  const auto out = run_clean(kernel).values<float>(2);
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t c = 0; c < 8; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < 8; ++k) sum += float(a[k * 10 + r]) * b[64 + k * 8 + c];
      EXPECT_EQ(out[c * 8 + r], sum) << r << " " << c;
    }
  }
}

struct Patchwork {
  std::int64_t rows, columns;
  std::int32_t depth;
};
struct Turned {
  bool first, second;
};

template <class T>
void expect_patchwork(const std::string& function, Patchwork sizes, Turned turned, unsigned tile_rows,
                      bool extras, auto&& run) {
  const auto rows = std::size_t(sizes.rows), columns = std::size_t(sizes.columns),
             depth = std::size_t(sizes.depth);
  const auto a = whole_numbers<T>(rows * depth, -3, 3, 47), b = whole_numbers<T>(depth * columns, -3, 3, 48);
  const auto bias = whole_numbers<float>((columns + 15) / 16 * 16, -9, 9, 49);
  const bool whole = rows % tile_rows == 0 && columns % 16 == 0;
  auto kernel = conformance_kernel("simdgroup_fragments", function);
  kernel.buffer(0, a).buffer(1, b).buffer(2, std::vector<T>(rows * columns + 8, T(-1))).value(3, sizes);
  kernel.constant(30, whole ? "true" : "false").constant(31, whole ? "true" : "false");
  kernel.constant(32, extras ? "true" : "false").constant(33, extras ? "true" : "false");
  if (extras) kernel.buffer(4, bias).value(5, 2.0f);
  kernel.grid({unsigned(columns + 15) / 16, unsigned(rows + tile_rows - 1) / tile_rows, 1}, {32, 1, 1});
  const auto out = run(kernel).template values<T>(2);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < depth; ++k) {
        sum += float(turned.first ? a[k * rows + r] : a[r * depth + k]) *
               float(turned.second ? b[c * depth + k] : b[k * columns + c]);
      }
      ASSERT_EQ(float(out[r * columns + c]), extras ? 2 * sum + bias[c] : sum) << r << " " << c;
    }
  }
  for (std::size_t k = rows * columns; k < out.size(); ++k) EXPECT_EQ(float(out[k]), -1) << k;
}

TEST_P(ConformanceOfSimdgroups, FragmentsOfWholeTiles) {
  expect_patchwork<Half>("patchwork_half_false_false", {32, 32, 24}, {false, false}, 16, false, run_clean);
}
TEST_P(ConformanceOfFragments, FragmentsOfATransposedSecondFactor) {
  expect_patchwork<Half>("patchwork_half_false_true", {29, 21, 13}, {false, true}, 24, false, run_clean);
}
TEST_P(ConformanceOfSimdgroups, FragmentsOfATransposedFirstFactorAndMoreBuffers) {
  expect_patchwork<float>("patchwork_float_true_false", {19, 35, 11}, {true, false}, 16, true, run_clean);
}

TEST(ConformanceOfReflection, MostThreadsAreAProductOfArguments) {
  auto kernel = conformance_kernel("simdgroup_fragments", "patchwork_half_false_true");
  for (std::uint32_t index = 30; index < 34; ++index) kernel.constant(index, "false");
  EXPECT_EQ(compile(kernel.source(), Flavour::checked)->max_threads_per_threadgroup(), 48u);
}

}  // namespace
}  // namespace assay::metal
