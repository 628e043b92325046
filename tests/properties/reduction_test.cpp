// Striped products and the clearing of their buffers: a right kernel passes, each fault is seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/cases/search.hpp"
#include "properties/cases/trial.hpp"
#include "properties/operations/packed4/reduction_buffers.hpp"
#include "reference/fp4.hpp"
#include "reference/packing.hpp"
#include "tests/device/memory_device.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using device::MemoryDevice;
using device::MemoryLaunch;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kManifest = R"toml([[kernel]]
name = "striped"
source = "kernel.metal"
operation = "gemm_fp4_striped"
arguments = ["A", "B", "scales", "C", "partials", "counters", "M", "N", "K", "group_size", "parallel"]
threads_per_threadgroup = 1
tile = { m = 64, n = 64, k = 32 }
grid = ["threadgroups", 1, 1]

[[kernel]]
name = "zero"
source = "kernel.metal"
operation = "zero_reduction"
arguments = ["partials", "counters", "M", "N", "parallel"]
threads_per_threadgroup = 1
tile = { m = 64, n = 64, k = 32 }
grid = ["threadgroups", 1, 1]
)toml";

std::size_t tiles(std::size_t size, std::size_t tile) { return (size + tile - 1) / tile; }

/// A striped kernel on one thread, one tile of C a counter. Every member is right as it stands.
struct StripedModel {
  bool resets_counter = true;
  bool clears_partials = true;
  bool empty_slices_count = true;
  bool drops_remainder = false;
  bool breaks_when_used_again = false;
  bool used = false;

  struct Shape {
    std::size_t M, N, K, group_size, parallel;
  };

  float partial(const MemoryLaunch& launch, const Shape& s, std::size_t m, std::size_t n, std::size_t slice) {
    const auto* A = launch.pointer<std::uint16_t>(0);
    const auto* scales = launch.pointer<std::uint16_t>(2);
    const std::span<const std::uint32_t> B(launch.pointer<std::uint32_t>(1), tiles(s.K, 8) * s.N);
    const std::size_t k_tiles = tiles(s.K, 32);
    const std::size_t slice_k = 32 * (drops_remainder ? k_tiles / s.parallel : tiles(k_tiles, s.parallel));
    float sum = 0;
    for (std::size_t k = slice * slice_k; k < std::min(s.K, (slice + 1) * slice_k); ++k) {
      const auto weight =
          reference::fp4_weight(reference::nibble_at(B, s.N, k, n), scales[k / s.group_size * s.N + n]);
      sum += reference::half_to_float(A[m * s.K + k]) * reference::half_to_float(weight);
    }
    return sum;
  }

  void reduce(MemoryLaunch& launch, const Shape& s, std::size_t m, std::size_t n) {
    auto* partials = launch.pointer<float>(4);
    float sum = 0;
    for (std::size_t slice = 0; slice < s.parallel; ++slice) {
      float& one = partials[(slice * s.M + m) * s.N + n];
      sum += one;
      if (clears_partials) one = 0;
    }
    launch.pointer<std::uint16_t>(3)[m * s.N + n] = reference::half_from_float(sum);
  }

  void operator()(MemoryLaunch& launch) {
    const auto scalar = [&](std::size_t i) { return std::size_t{launch.value<std::uint32_t>(i)}; };
    const Shape s = {scalar(6), scalar(7), scalar(8), scalar(9), scalar(10)};
    if (breaks_when_used_again && used) return launch.pointer<std::uint16_t>(3)[0] ^= 1, void();
    used = true;
    const std::size_t m_tiles = tiles(s.M, 64);
    for (std::size_t unit = m_tiles * tiles(s.N, 64) * s.parallel; unit-- > 0;) {  // the last slice first
      const std::size_t tile = unit / s.parallel, slice = unit % s.parallel;
      const std::size_t row = tile % m_tiles * 64, column = tile / m_tiles * 64;
      const bool empty = slice * tiles(tiles(s.K, 32), s.parallel) * 32 >= s.K;
      const auto each = [&](auto&& act) {
        for (std::size_t m = row; m < std::min(s.M, row + 64); ++m) {
          for (std::size_t n = column; n < std::min(s.N, column + 64); ++n) act(m, n);
        }
      };
      each([&](std::size_t m, std::size_t n) {
        if (!empty) launch.pointer<float>(4)[(slice * s.M + m) * s.N + n] = partial(launch, s, m, n, slice);
      });
      std::uint32_t& counter = launch.pointer<std::uint32_t>(5)[tile];
      if (empty && !empty_slices_count) continue;
      if (++counter != s.parallel) continue;
      each([&](std::size_t m, std::size_t n) { reduce(launch, s, m, n); });
      if (resets_counter) counter = 0;
    }
  }
};

class Reduction : public ::testing::Test {
 protected:
  KernelEntry entry(std::size_t index) { return assay::parse_manifest(kManifest, "kernels.toml").at(index); }

  /// The verdict on the first of so many cases that is no pass, or pass.
  TrialResult first_failure(std::size_t index, const MemoryDevice::Kernel& kernel, std::uint64_t cases) {
    const KernelEntry kernel_entry = entry(index);
    MemoryDevice device;
    device.add(kernel_entry.function, kernel);
    const Trial trial(kernel_entry, {{&device, device::kPoison}});
    TrialResult result;
    bool telling = false;
    for (std::uint64_t i = 0; i < cases; ++i) {
      result = trial.run(case_at(find_operation(kernel_entry.operation)
                                     .cases(traits_of(kernel_entry), {.largest = 1 << 14, .least = 1 << 10}),
                                 1, i));
      telling |= result.telling;
      if (result.outcome.verdict != Verdict::pass) break;
    }
    result.telling = telling;
    return result;
  }
};

TEST_F(Reduction, RightStripedKernelPassesLaunchedTwice) {
  const TrialResult result = first_failure(0, StripedModel{}, 60);
  EXPECT_EQ(result.outcome.verdict, Verdict::pass) << result.outcome.summary;
  EXPECT_TRUE(result.telling);
}

TEST_F(Reduction, FaultsOfStripedKernelsAreRejected) {
  const auto rejected = [&](const char* what, bool StripedModel::*member, bool value) {
    StripedModel model;
    model.*member = value;
    EXPECT_EQ(first_failure(0, model, 60).outcome.verdict, Verdict::wrong_result) << what;
  };
  rejected("counter not reset", &StripedModel::resets_counter, false);
  rejected("partial sums left behind", &StripedModel::clears_partials, false);
  rejected("empty slices not counted in", &StripedModel::empty_slices_count, false);
  rejected("remainder of K dropped", &StripedModel::drops_remainder, true);
  rejected("right only once", &StripedModel::breaks_when_used_again, true);
}

void clear(MemoryLaunch& launch, std::size_t partial_bytes, std::size_t counter_bytes) {
  std::fill_n(launch.pointer(0), partial_bytes, std::byte{0});
  std::fill_n(launch.pointer(1), counter_bytes, std::byte{0});
}

TEST_F(Reduction, ClearingIsAskedOfEveryPartialAndCounter) {
  const auto verdict = [&](auto kernel) { return first_failure(1, kernel, 40); };
  const TrialResult right = verdict([](MemoryLaunch& l) { clear(l, l.size_bytes(0), l.size_bytes(1)); });
  EXPECT_EQ(right.outcome.verdict, Verdict::pass) << right.outcome.summary;
  EXPECT_TRUE(right.telling) << "a kernel that writes nothing must not pass";
  EXPECT_EQ(verdict([](MemoryLaunch&) {}).outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(verdict([](MemoryLaunch& l) { clear(l, l.size_bytes(0), l.size_bytes(1) - 4); }).outcome.verdict,
            Verdict::wrong_result);
  EXPECT_EQ(verdict([](MemoryLaunch& l) {
              clear(l, l.size_bytes(0) / l.value<std::uint32_t>(4), l.size_bytes(1));
            }).outcome.verdict,
            Verdict::wrong_result);
}

TEST_F(Reduction, CasesReachTheEdgesOfTheSchedule) {
  const KernelEntry striped = entry(0);
  const auto cases = find_operation("gemm_fp4_striped").cases(traits_of(striped));
  std::map<std::string, int> reached;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Case one = case_at(cases, 1, i);
    const std::int64_t parallel = dim(one.dims, "parallel"), threadgroups = dim(one.dims, "threadgroups");
    const auto tile_count = static_cast<std::int64_t>(reduction_tiles(one.dims));
    const std::int64_t k_tiles = (dim(one.dims, "K") + 31) / 32, units = tile_count * parallel;
    reached["one slice"] += parallel == 1;
    reached["more slices than K tiles"] += parallel > k_tiles;
    reached["slices of one K tile"] += parallel == k_tiles && parallel > 1;
    reached["ragged slices"] += parallel < k_tiles && k_tiles % parallel != 0;
    reached["one threadgroup"] += threadgroups == 1 && units > 1;
    reached["a threadgroup a unit"] += threadgroups == units && units > 1;
    reached["more threadgroups than units"] += threadgroups > units;
    reached["runs of several units"] += threadgroups > 1 && 2 * threadgroups <= units;
    reached["a tile shared by threadgroups"] += threadgroups > tile_count && parallel > 1;
    reached["several tiles and slices"] += tile_count > 1 && parallel > 1 && k_tiles > 1;
    reached["slices cut where no group ends"] +=
        parallel > 1 && k_tiles > 1 && dim(one.dims, "group_size") % 32 != 0;
  }
  for (const auto& [what, count] : reached) EXPECT_GE(count, 5) << what;
}

TEST_F(Reduction, CasesShrinkTowardsOneSliceAndOneThreadgroup) {
  const auto cases = find_operation("gemm_fp4_striped").cases(traits_of(entry(0)));
  const auto result = search(cases, 1, 300, [](const Case& c) {
    return dim(c.dims, "parallel") < 3 || dim(c.dims, "threadgroups") < 2;
  });
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(to_line(result.failure->shrunk.smallest),
            "operation=gemm_fp4_striped K=1 M=1 N=1 group_size=8 parallel=3 threadgroups=2 regime=constant "
            "knob.code=0 seed=0");
}

TEST(Poison, CarriedByAnInputIsNotTakenForUnwritten) {
  const auto entry = assay::parse_manifest(R"toml([[kernel]]
name = "dequant"
source = "kernel.metal"
operation = "dequantize_fp4"
arguments = ["B", "scales", "W", "K", "N", "group_size"]
threads_per_threadgroup = 1
grid = [1, 1, 1]
)toml",
                                           "kernels.toml")
                         .at(0);
  MemoryDevice device;
  device.add("dequant", [](MemoryLaunch& launch) { *launch.pointer<std::uint16_t>(2) = device::kPoison; });
  const Trial trial(entry, {{&device, device::kPoison}});
  Problem problem = find_operation("dequantize_fp4")
                        .make_problem({.operation = "dequantize_fp4",
                                       .dims = {{"K", 1}, {"N", 1}, {"group_size", 8}},
                                       .regime = "constant",
                                       .knobs = {},
                                       .seed = 0});
  for (const std::uint16_t nan : {0xFFA5, 0xFDA5, 0x7DA5, 0x7FA5}) {
    input(problem, "scales").as<std::uint16_t>()[0] = nan;
    EXPECT_EQ(trial.run(problem).outcome.verdict, Verdict::pass) << std::hex << nan;
  }
  input(problem, "scales").as<std::uint16_t>()[0] = 0x7E00;
  EXPECT_EQ(trial.run(problem).outcome.verdict, Verdict::wrong_result);
}

TEST_F(Reduction, BuffersThatDoNotStartZeroAreRefused) {
  const Operation& striped = find_operation("gemm_fp4_striped");
  Case described = testing::gemm_case(3, 3, 3, 8, "exact", 1);
  described.operation = "gemm_fp4_striped";
  described.dims["parallel"] = described.dims["threadgroups"] = 2;
  for (const char* name : {"partials", "counters"}) {
    Problem problem = striped.make_problem(described);
    input(problem, name).as<std::uint32_t>()[0] = 1;
    EXPECT_THAT([&] { striped.expect(problem, {}); }, ThrowsMessage<std::invalid_argument>(HasSubstr(name)));
  }
}

}  // namespace
}  // namespace assay::properties
