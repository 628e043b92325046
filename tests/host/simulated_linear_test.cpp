// The layer end to end on the simulated GPU: every kernel that may be chosen against the reference product
// over the weights that were packed, within the bound of any order of summation.
#include <gtest/gtest.h>

#include <string>

#include "harness/simulator/simulated_gpu.hpp"
#include "kernels/host/marlin_linear.hpp"
#include "reference/bound.hpp"
#include "reference/gemm.hpp"
#include "tests/host/packing.hpp"

namespace assay::host {
namespace {

using simulator::Mode;
using simulator::SimulatedGpu;

struct Case {
  std::string name;
  Mode mode;
  WeightFormat format;
  std::size_t M, N, K, group_size;
  std::optional<KernelChoice> choice = {};  ///< or the rule's
  unsigned cores = kDefaultCores;
  KernelRole role{};  ///< that the rule is to lead to
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

void expect_product(const Case& c, const PackedWeights& packed, const Halves& A, const Halves& C) {
  const auto sums = reference::gemm_sums(c.M, c.N, c.K, A, dequantize(packed));
  const reference::ForwardErrorBound bound(c.K, reference::kFloatUnitRoundoff);
  ASSERT_FALSE(bound.is_void());
  ASSERT_EQ(C.size(), c.M * c.N);
  for (std::size_t i = 0; i < C.size(); ++i) {
    const auto right = bound.accept(sums.sum[i], sums.magnitude[i]);
    ASSERT_TRUE(right.contains(reference::half_to_double(C[i])))
        << "row " << i / c.N << ", column " << i % c.N << ": got " << reference::half_to_double(C[i])
        << ", right is " << right.low << " to " << right.high;
  }
}

class SimulatedLinear : public testing::TestWithParam<Case> {};

// Twice, with other activations: the second product finds what the first one left behind.
TEST_P(SimulatedLinear, IsTheReferenceProduct) {
  const Case& c = GetParam();
  SimulatedGpu gpu({.mode = c.mode, .threads = 3, .schedule = 0, .limits = {}});
  KernelLibrary kernels(gpu, std::string(ASSAY_SOURCE_DIR) + "/kernels");
  const PackedWeights packed = pack(c.format, c.K, c.N, c.group_size, normal_halves(c.K * c.N, 0.05, 21));
  MarlinLinear linear(kernels, packed, {.cores = c.cores, .choice = c.choice});
  EXPECT_EQ(linear.choice_for(c.M).role, c.choice ? c.choice->role : c.role);
  for (const std::uint32_t seed : {22U, 23U}) {
    const Halves A = normal_halves(c.M * c.K, 1, seed);
    expect_product(c, packed, A, linear(c.M, A));
  }
}

KernelChoice striped(std::uint32_t slices, std::uint32_t threadgroups) {
  return {KernelRole::striped, slices, threadgroups};
}

constexpr auto kFp4 = WeightFormat::fp4, kU4 = WeightFormat::u4, kS4 = WeightFormat::s4;

INSTANTIATE_TEST_SUITE_P(
    Checked, SimulatedLinear,
    testing::Values(Case{"decode", Mode::checked, kFp4, 5, 70, 75, 16, KernelChoice{KernelRole::decode}},
                    Case{"fused", Mode::checked, kFp4, 67, 70, 75, 8, KernelChoice{KernelRole::fused}},
                    Case{"staged", Mode::checked, kFp4, 67, 70, 75, 24, KernelChoice{KernelRole::staged}},
                    Case{"striped", Mode::checked, kFp4, 67, 70, 205, 8, striped(3, 5)},
                    Case{"triple", Mode::checked, kFp4, 67, 70, 75, 16, KernelChoice{KernelRole::triple}},
                    Case{"shallow", Mode::checked, kFp4, 67, 70, 75, 8, KernelChoice{KernelRole::shallow}},
                    Case{"hybrid", Mode::checked, kFp4, 67, 70, 75, 24, KernelChoice{KernelRole::hybrid}},
                    Case{"rule_striped", Mode::checked, kFp4, 30, 100, 1050, 64, {}, 40, KernelRole::striped},
                    Case{"fused_u4", Mode::checked, kU4, 67, 70, 75, 16, {}, 40, KernelRole::fused},
                    Case{"fused_s4", Mode::checked, kS4, 67, 70, 75, 32, {}, 40, KernelRole::fused}),
    [](const auto& instance) { return instance.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Fast, SimulatedLinear,
    testing::Values(Case{"rule_decode", Mode::fast, kFp4, 1, 200, 300, 32, {}, 40, KernelRole::decode},
                    Case{"rule_fused", Mode::fast, kFp4, 40, 200, 300, 32, {}, 40, KernelRole::fused},
                    Case{"rule_staged", Mode::fast, kFp4, 130, 130, 100, 128, {}, 4, KernelRole::staged},
                    Case{"rule_striped", Mode::fast, kFp4, 30, 100, 1050, 64, {}, 40, KernelRole::striped},
                    Case{"one_slice", Mode::fast, kFp4, 67, 70, 75, 8, striped(1, 3)},
                    Case{"ragged_slices", Mode::fast, kFp4, 67, 70, 205, 8, striped(3, 5)},
                    Case{"more_slices_than_k_tiles", Mode::fast, kFp4, 67, 70, 75, 8, striped(5, 2)},
                    Case{"more_threadgroups_than_units", Mode::fast, kFp4, 20, 30, 130, 8, striped(2, 9)}),
    [](const auto& instance) { return instance.param.name; });

// One layer over many row counts changes kernels and the size of its reduction as it goes.
TEST(SimulatedLinearSequence, RowCountsInAnyOrder) {
  SimulatedGpu gpu;
  KernelLibrary kernels(gpu, std::string(ASSAY_SOURCE_DIR) + "/kernels");
  const std::size_t N = 70, K = 600;
  const PackedWeights packed = pack(kFp4, K, N, 32, normal_halves(K * N, 0.05, 31));
  MarlinLinear linear(kernels, packed, {.cores = 4, .choice = {}});
  for (const std::size_t M : {20, 130, 3, 64, 600, 17}) {
    const Halves A = normal_halves(M * K, 1, static_cast<std::uint32_t>(M));
    expect_product({.name = "", .mode = Mode::fast, .format = kFp4, .M = M, .N = N, .K = K, .group_size = 32},
                   packed, A, linear(M, A));
  }
}

TEST(SimulatedLinearSequence, StripedGivesTheSameBitsUnderEverySchedule) {
  const std::size_t M = 20, N = 70, K = 530;
  const PackedWeights packed = pack(kFp4, K, N, 8, normal_halves(K * N, 0.05, 51));
  const Halves A = normal_halves(M * K, 1, 52);
  Halves first;
  for (const std::uint64_t schedule : {0, 1, 2, 3, 4}) {
    SimulatedGpu gpu({.mode = Mode::checked, .threads = 1, .schedule = schedule, .limits = {}});
    KernelLibrary kernels(gpu, std::string(ASSAY_SOURCE_DIR) + "/kernels");
    MarlinLinear linear(kernels, packed);
    ASSERT_EQ(linear.choice_for(M), striped(2, 4));
    const Halves C = linear(M, A);
    EXPECT_EQ(linear(M, A), C) << "schedule " << schedule << ", without clearing";
    if (first.empty()) first = C;
    EXPECT_EQ(C, first) << "schedule " << schedule;
  }
}

// Layers in a row, the activations never leaving the device; the first layer's C is the second one's A.
TEST(SimulatedLinearSequence, LayersInARow) {
  SimulatedGpu gpu;
  KernelLibrary kernels(gpu, std::string(ASSAY_SOURCE_DIR) + "/kernels");
  const std::size_t M = 3, wide = 40, narrow = 24;
  const PackedWeights up = pack(kFp4, narrow, wide, 8, normal_halves(narrow * wide, 0.2, 41));
  const PackedWeights down = pack(kU4, wide, narrow, 8, normal_halves(wide * narrow, 0.2, 42));
  MarlinLinear first(kernels, up), second(kernels, down);
  const Halves A = normal_halves(M * narrow, 1, 43);
  const device::Buffer a(gpu, 2 * M * narrow), b(gpu, 2 * M * wide), c(gpu, 2 * M * narrow);
  gpu.upload(a.id(), 0, std::as_bytes(std::span(A)));
  first.run(M, a.whole(), b.whole());
  second.run(M, b.whole(), c.whole());
  Halves B(M * wide), C(M * narrow);
  gpu.download(b.id(), 0, std::as_writable_bytes(std::span(B)));
  gpu.download(c.id(), 0, std::as_writable_bytes(std::span(C)));
  EXPECT_EQ(B, first(M, A));
  EXPECT_EQ(C, quantized_linear(kernels, down, M, B));
}

}  // namespace
}  // namespace assay::host
