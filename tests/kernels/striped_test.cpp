// The striped kernel gives the same bits however its work is cut, shared out and interleaved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/run/manifests.hpp"
#include "harness/simulator/exploration.hpp"
#include "harness/simulator/simulated_gpu.hpp"
#include "harness/verify/binding.hpp"
#include "properties/cases/operation.hpp"

namespace assay {
namespace {

using Bits = std::vector<std::uint16_t>;

constexpr std::int64_t kTileSide = 64;
constexpr std::uint64_t kSchedules = 50;

const KernelEntry& striped() {
  static const auto entries = run::load_manifest(ASSAY_SOURCE_DIR "/kernels/kernels.toml");
  for (const auto& entry : entries) {
    if (entry.name == "marlin_gemm_fp4_striped") return entry;
  }
  throw std::logic_error("kernels.toml: no marlin_gemm_fp4_striped");
}

properties::Case described(std::int64_t M, std::int64_t N, std::int64_t K, const char* regime) {
  properties::Case it;
  it.operation = "gemm_fp4_striped";
  it.dims = {{"M", M}, {"N", N}, {"K", K}, {"group_size", 16}};
  it.regime = regime;
  it.seed = 20261121;
  return it;
}

std::int64_t tiles(const properties::Case& it) {
  const auto over = [](std::int64_t size) { return (size + kTileSide - 1) / kTileSide; };
  return over(it.dims.at("M")) * over(it.dims.at("N"));
}

bool is_zero(const Tensor& tensor) {
  return std::all_of(tensor.data.begin(), tensor.data.end(), [](std::byte b) { return b == std::byte{0}; });
}

/// The distinct results of launches on the same buffers, never cleared in between, under all schedules.
std::set<Bits> results(const properties::Case& it) {
  const auto problem = properties::find_operation(it.operation).make_problem(it);
  simulator::SimulatedGpu gpu({.mode = simulator::Mode::fast, .threads = 1, .limits = {}});
  const Binding binding(gpu, gpu.load(striped().kernel_source()), striped(), problem);
  std::set<Bits> distinct;
  for (std::uint64_t schedule = 1; schedule <= kSchedules; ++schedule) {
    auto launch = binding.dispatch();
    launch.schedule = schedule;
    EXPECT_TRUE(gpu.dispatch(launch).clean()) << "schedule " << schedule;
    for (const auto& tensor : binding.download_outputs()) {
      if (tensor.name != "C") {
        EXPECT_TRUE(is_zero(tensor)) << tensor.name << " after schedule " << schedule;
        continue;
      }
      const auto halves = tensor.as<std::uint16_t>();
      distinct.insert({halves.begin(), halves.end()});
    }
  }
  return distinct;
}

std::set<std::int64_t> threadgroup_counts(const properties::Case& it, std::int64_t parallel) {
  return {1, 2, 3, 7, tiles(it), tiles(it) * parallel + 1};
}

// Varies the number of slices (by test), threadgroups and schedule. With random values the slices are summed
// in another order for each `parallel`, so the bits may depend on that, and on nothing else.
class StripedSlices : public testing::TestWithParam<std::int64_t> {};

TEST_P(StripedSlices, GiveOneBitPatternOnAnyThreadgroupsUnderAnySchedule) {
  properties::Case it = described(70, 66, 100, "random");
  it.dims["parallel"] = GetParam();
  std::set<Bits> distinct;
  for (const std::int64_t threadgroups : threadgroup_counts(it, GetParam())) {
    it.dims["threadgroups"] = threadgroups;
    distinct.merge(results(it));
    ASSERT_EQ(distinct.size(), 1U) << threadgroups << " threadgroups";
  }
}

// Where every partial sum is exact there is nothing that the bits could depend on: they are those of one
// slice on one threadgroup.
TEST_P(StripedSlices, OfExactSumsGiveTheBitsOfOneSlice) {
  properties::Case it = described(33, 65, 72, "exact");
  it.dims["parallel"] = it.dims["threadgroups"] = 1;
  const std::set<Bits> expected = results(it);
  ASSERT_EQ(expected.size(), 1U);
  it.dims["parallel"] = GetParam();
  for (const std::int64_t threadgroups : threadgroup_counts(it, GetParam())) {
    it.dims["threadgroups"] = threadgroups;
    ASSERT_EQ(results(it), expected) << threadgroups << " threadgroups";
  }
}

struct Small {
  std::int64_t tiles, slices, threadgroups;
  std::uint64_t schedules;
};
void PrintTo(const Small& small, std::ostream* out) {
  *out << small.tiles << " tiles, " << small.slices << " slices, " << small.threadgroups << " threadgroups";
}

// All schedules of the protocol, up to equivalence. Work is dealt out in equal runs: two threadgroups get a
// tile of two slices each, and have nothing in common. Where n threadgroups share a tile, all that matters is
// the order in which they count in.
class StripedProtocol : public testing::TestWithParam<Small> {};

TEST_P(StripedProtocol, IsRightUnderEverySchedule) {
  const Small& small = GetParam();
  properties::Case it = described(1, 64 * (small.tiles - 1) + 1, 32 * small.slices, "exact");
  it.dims["parallel"] = small.slices;
  it.dims["threadgroups"] = small.threadgroups;
  const auto problem = properties::find_operation(it.operation).make_problem(it);
  simulator::SimulatedGpu gpu({.mode = simulator::Mode::checked, .threads = 1, .limits = {}});
  const auto kernel = gpu.load(striped().kernel_source());
  simulator::Exploration exploration;
  std::set<Bits> distinct;
  do {
    const Binding binding(gpu, kernel, striped(), problem);
    auto launch = binding.dispatch();
    launch.planned = &exploration.schedule();
    const auto report = gpu.dispatch(launch);
    ASSERT_FALSE(exploration.diverged());
    if (exploration.redundant()) continue;
    ASSERT_TRUE(report.clean());
    for (const auto& tensor : binding.download_outputs()) {
      if (tensor.name != "C") {
        EXPECT_TRUE(is_zero(tensor)) << tensor.name;
        continue;
      }
      const auto halves = tensor.as<std::uint16_t>();
      distinct.insert({halves.begin(), halves.end()});
    }
  } while (exploration.advance());
  EXPECT_EQ(exploration.schedules(), small.schedules);
  EXPECT_EQ(distinct.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Kernels, StripedProtocol,
                         testing::Values(Small{2, 2, 2, 1}, Small{2, 2, 3, 1}, Small{2, 2, 4, 4},
                                         Small{1, 2, 2, 2}, Small{1, 3, 3, 6}, Small{2, 3, 3, 9},
                                         Small{1, 4, 4, 24}));

INSTANTIATE_TEST_SUITE_P(Kernels, StripedSlices, testing::Range<std::int64_t>(1, 17));

}  // namespace
}  // namespace assay
