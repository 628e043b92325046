// The layer on a mock device: what it launches, in which order and with which bytes, and what every failure
// leaves behind.
#include "kernels/host/marlin_linear.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/error_of.hpp"
#include "tests/host/packing.hpp"
#include "tests/host/recording_device.hpp"

namespace assay::host {
namespace {

using device::BufferSlice;
using device::InlineBytes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::uint32_t uint_of(const device::Argument& argument) {
  const auto& bytes = std::get<InlineBytes>(argument).bytes;
  EXPECT_EQ(bytes.size(), 4u);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

BufferSlice slice_of(const device::Argument& argument) {
  const auto slice = std::get<BufferSlice>(argument);
  EXPECT_EQ(slice.offset_bytes, 0u);
  return slice;
}

class MarlinLinearOnMock : public testing::Test {
 protected:
  MarlinLinear layer(WeightFormat format, std::size_t K, std::size_t N, std::size_t group_size,
                     LinearOptions options = {}) {
    weights_ = pack(format, K, N, group_size, normal_halves(K * N, 1, 11));
    return MarlinLinear(kernels_, weights_, options);
  }

  template <class T>
  std::vector<T> contents(const device::Argument& argument) {
    const auto& bytes = device_.live.at(slice_of(argument).buffer);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  RecordingDevice device_;
  KernelLibrary kernels_{device_, "some/kernels"};
  PackedWeights weights_;
};

/// Every tensor of a launch as the layer uploaded it, sizes of the others, and the dimensions, by their
/// order.
TEST_F(MarlinLinearOnMock, ArgumentsOfEveryFp4Kernel) {
  const std::size_t M = 70, K = 600, N = 130, group_size = 24;
  for (const KernelChoice choice : {KernelChoice{KernelRole::decode}, KernelChoice{KernelRole::fused},
                                    KernelChoice{KernelRole::staged}}) {
    MarlinLinear linear = layer(WeightFormat::fp4, K, N, group_size, {.cores = 1, .choice = choice});
    device::Buffer a(device_, 2 * M * K), c(device_, 2 * M * N);
    linear.run(M, a.whole(), c.whole());
    const device::Dispatch launch = device_.launches.back();
    EXPECT_EQ(device_.function_of(launch), find_kernel(WeightFormat::fp4, choice.role)->name);
    EXPECT_EQ(launch.threads_per_threadgroup, (device::Size3{128, 1, 1}));
    EXPECT_FALSE(launch.grid_in_threads);
    EXPECT_THAT(launch.threadgroup_bytes, IsEmpty());
    ASSERT_THAT(launch.arguments, SizeIs(8));
    EXPECT_EQ(slice_of(launch.arguments[0]).buffer, a.id());
    EXPECT_EQ(slice_of(launch.arguments[0]).size_bytes, 2 * M * K);
    EXPECT_EQ(contents<std::uint32_t>(launch.arguments[1]), weights_.words);
    EXPECT_EQ(contents<std::uint16_t>(launch.arguments[2]), weights_.scales);
    EXPECT_EQ(slice_of(launch.arguments[3]).buffer, c.id());
    EXPECT_EQ(slice_of(launch.arguments[3]).size_bytes, 2 * M * N);
    EXPECT_EQ(uint_of(launch.arguments[4]), M);
    EXPECT_EQ(uint_of(launch.arguments[5]), N);
    EXPECT_EQ(uint_of(launch.arguments[6]), K);
    EXPECT_EQ(uint_of(launch.arguments[7]), group_size);
  }
  EXPECT_THAT(device_.launches, SizeIs(3));
}

TEST_F(MarlinLinearOnMock, ArgumentsOfTheInt4Kernels) {
  for (const WeightFormat format : {WeightFormat::u4, WeightFormat::s4}) {
    MarlinLinear linear = layer(format, 50, 30, 16);
    device::Buffer a(device_, 2 * 3 * 50), c(device_, 2 * 3 * 30);
    linear.run(3, a.whole(), c.whole());
    const device::Dispatch launch = device_.launches.back();
    EXPECT_EQ(device_.function_of(launch), "marlin_gemm_fused_" + std::string(name_of(format)));
    ASSERT_THAT(launch.arguments, SizeIs(9));
    EXPECT_EQ(contents<std::uint32_t>(launch.arguments[1]), weights_.words);
    EXPECT_EQ(contents<std::uint16_t>(launch.arguments[2]), weights_.scales);
    EXPECT_EQ(contents<std::uint16_t>(launch.arguments[3]), weights_.zeros);
    EXPECT_EQ(slice_of(launch.arguments[4]).buffer, c.id());
    EXPECT_EQ(uint_of(launch.arguments[5]), 3u);
    EXPECT_EQ(uint_of(launch.arguments[6]), 30u);
    EXPECT_EQ(uint_of(launch.arguments[7]), 50u);
    EXPECT_EQ(uint_of(launch.arguments[8]), 16u);
  }
}

TEST_F(MarlinLinearOnMock, StripedIsClearedOnceAndThenKeptZeroByItself) {
  const std::size_t M = 70, K = 600, N = 130;
  MarlinLinear linear =
      layer(WeightFormat::fp4, K, N, 8, {.choice = KernelChoice{KernelRole::striped, 3, 5}});
  const Halves A(M * K, 0);
  linear(M, A);
  ASSERT_THAT(device_.launches, SizeIs(2));
  const device::Dispatch zero = device_.launches[0], striped = device_.launches[1];

  EXPECT_EQ(device_.function_of(zero), "marlin_zero_reduction");
  ASSERT_THAT(zero.arguments, SizeIs(5));
  EXPECT_EQ(slice_of(zero.arguments[0]).size_bytes, 4 * 3 * M * N);
  EXPECT_EQ(slice_of(zero.arguments[1]).size_bytes, 4u * 2 * 3);  // tiles of 64 x 64
  EXPECT_EQ(uint_of(zero.arguments[2]), M);
  EXPECT_EQ(uint_of(zero.arguments[3]), N);
  EXPECT_EQ(uint_of(zero.arguments[4]), 3u);
  EXPECT_EQ(zero.grid, (device::Size3{27, 1, 1}));  // 27,300 partial sums, 8 a thread, 128 threads
  EXPECT_EQ(zero.threads_per_threadgroup, (device::Size3{128, 1, 1}));

  EXPECT_EQ(device_.function_of(striped), "marlin_gemm_fp4_striped");
  EXPECT_EQ(striped.grid, (device::Size3{5, 1, 1}));
  ASSERT_THAT(striped.arguments, SizeIs(11));
  for (const int i : {0, 1}) {
    EXPECT_EQ(slice_of(striped.arguments[4 + i]).buffer, slice_of(zero.arguments[i]).buffer);
    EXPECT_EQ(slice_of(striped.arguments[4 + i]).size_bytes, slice_of(zero.arguments[i]).size_bytes);
  }
  const std::size_t dimensions[] = {M, N, K, 8, 3};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(uint_of(striped.arguments[6 + i]), dimensions[i]);

  linear(M, A);
  ASSERT_THAT(device_.launches, SizeIs(3));
  EXPECT_EQ(device_.function_of(device_.launches[2]), "marlin_gemm_fp4_striped");
  EXPECT_EQ(slice_of(device_.launches[2].arguments[4]).buffer, slice_of(zero.arguments[0]).buffer);
}

TEST_F(MarlinLinearOnMock, FewerRowsUseWhatIsThereMoreRowsClearAnew) {
  MarlinLinear linear =
      layer(WeightFormat::fp4, 64, 64, 8, {.choice = KernelChoice{KernelRole::striped, 2, 4}});
  linear(70, Halves(70 * 64));
  linear(20, Halves(20 * 64));
  ASSERT_THAT(device_.launches, SizeIs(3));
  EXPECT_EQ(slice_of(device_.launches[2].arguments[4]).buffer,
            slice_of(device_.launches[1].arguments[4]).buffer);
  EXPECT_EQ(slice_of(device_.launches[2].arguments[4]).size_bytes, 4u * 2 * 20 * 64);
  EXPECT_EQ(slice_of(device_.launches[2].arguments[5]).size_bytes, 4u);
  linear(130, Halves(130 * 64));
  ASSERT_THAT(device_.launches, SizeIs(5));
  EXPECT_EQ(device_.function_of(device_.launches[3]), "marlin_zero_reduction");
  EXPECT_EQ(slice_of(device_.launches[3].arguments[0]).size_bytes, 4u * 2 * 130 * 64);
  EXPECT_THAT(device_.live, SizeIs(4));  // weights, scales, one pair of partials and counters
  EXPECT_EQ(device_.most_live, 6u) << "the small pair was not released before the large one came";
}

// More rows want more counters and may want fewer slices: each buffer grows by itself, and neither shrinks,
// so that row counts in turn do not clear for ever.
TEST_F(MarlinLinearOnMock, PartialsAndCountersGrowEachByItself) {
  MarlinLinear linear = layer(WeightFormat::fp4, 4096, 8, 8, {.cores = 4, .choice = {}});
  const auto run = [&](std::size_t M) {
    const std::size_t before = device_.launches.size();
    linear(M, Halves(M * 4096));
    return device_.launches.size() - before;
  };
  ASSERT_EQ(linear.choice_for(64), (KernelChoice{KernelRole::striped, 12, 12}));
  ASSERT_EQ(linear.choice_for(70), (KernelChoice{KernelRole::striped, 6, 12}));
  ASSERT_EQ(linear.choice_for(128), (KernelChoice{KernelRole::striped, 6, 12}));
  EXPECT_EQ(run(64), 2u);
  const device::Dispatch first = device_.launches.back();
  EXPECT_EQ(run(70), 2u);
  const device::Dispatch second = device_.launches.back();
  EXPECT_EQ(slice_of(second.arguments[4]).buffer, slice_of(first.arguments[4]).buffer);
  EXPECT_NE(slice_of(second.arguments[5]).buffer, slice_of(first.arguments[5]).buffer);
  EXPECT_EQ(run(64), 1u);
  EXPECT_EQ(run(128), 1u);
  EXPECT_EQ(device_.most_live, 6u);  // words, scales, A, C, partials, counters
}

TEST_F(MarlinLinearOnMock, PartialsGrowWhereCountersSuffice) {
  MarlinLinear linear = layer(WeightFormat::fp4, 4096, 8, 8, {.cores = 4, .choice = {}});
  linear(70, Halves(70 * 4096));
  linear(64, Halves(64 * 4096));
  ASSERT_THAT(device_.launches, SizeIs(4));
  EXPECT_EQ(device_.function_of(device_.launches[2]), "marlin_zero_reduction");
  EXPECT_EQ(slice_of(device_.launches[2].arguments[0]).size_bytes, 4u * 12 * 64 * 8);
  EXPECT_EQ(slice_of(device_.launches[3].arguments[5]).buffer,
            slice_of(device_.launches[1].arguments[5]).buffer);
}

TEST_F(MarlinLinearOnMock, GridsFollowFromTheTile) {
  const struct {
    KernelRole role;
    device::Size3 grid;
  } cases[] = {{KernelRole::decode, {3, 5, 1}},  {KernelRole::fused, {3, 2, 1}},
               {KernelRole::staged, {3, 2, 1}},  {KernelRole::triple, {3, 2, 1}},
               {KernelRole::shallow, {3, 2, 1}}, {KernelRole::hybrid, {3, 2, 1}}};
  for (const auto& [role, grid] : cases) {
    layer(WeightFormat::fp4, 40, 129, 8, {.choice = KernelChoice{role}})(65, Halves(65 * 40));
    EXPECT_EQ(device_.launches.back().grid, grid) << name_of(role);
  }
}

TEST_F(MarlinLinearOnMock, TheRuleLeadsToEveryKernel) {
  const struct {
    std::size_t M, N, K;
    unsigned cores;
    const char* function;
  } cases[] = {{1, 64, 64, 40, "marlin_gemm_fp4_decode"},
               {17, 64, 64, 40, "marlin_gemm_fused_fp4"},
               {130, 130, 64, 1, "marlin_gemm_fp4"},
               {17, 64, 512, 40, "marlin_gemm_fp4_striped"}};
  for (const auto& c : cases) {
    layer(WeightFormat::fp4, c.K, c.N, 32, {.cores = c.cores, .choice = {}})(c.M, Halves(c.M * c.K));
    EXPECT_EQ(device_.function_of(device_.launches.back()), c.function);
  }
}

TEST_F(MarlinLinearOnMock, OneLibraryLoadsAKernelOnceFromItsFolder) {
  MarlinLinear first = layer(WeightFormat::fp4, 64, 64, 32), second = layer(WeightFormat::fp4, 64, 8, 32);
  first(1, Halves(64));
  first(2, Halves(128));
  second(1, Halves(64));
  ASSERT_THAT(device_.sources, SizeIs(1));
  EXPECT_EQ(device_.sources[0].path, "some/kernels/marlin_gemm_fp4_decode.metal");
  EXPECT_EQ(device_.sources[0].function, "marlin_gemm_fp4_decode");
}

TEST_F(MarlinLinearOnMock, KernelsOfOneTextDifferInTheirDefinitions) {
  layer(WeightFormat::fp4, 64, 64, 32, {.choice = KernelChoice{KernelRole::triple}})(1, Halves(64));
  layer(WeightFormat::fp4, 64, 64, 32, {.choice = KernelChoice{KernelRole::shallow}})(1, Halves(64));
  ASSERT_THAT(device_.sources, SizeIs(2));
  EXPECT_EQ(device_.sources[0].path, device_.sources[1].path);
  EXPECT_TRUE(device_.sources[0].defines.empty());
  EXPECT_EQ(device_.sources[1].defines, (std::map<std::string, std::string>{{"TILE_K", "16"}}));
}

TEST_F(MarlinLinearOnMock, TheResultIsWhatTheKernelLeftInC) {
  MarlinLinear linear = layer(WeightFormat::fp4, 8, 3, 8);
  EXPECT_CALL(device_, dispatch).WillOnce([&](const device::Dispatch& launch) {
    const Halves C = {1, 2, 3, 4, 5, 6};
    EXPECT_EQ(contents<std::uint16_t>(launch.arguments[0]), Halves(16, 7));
    std::memcpy(device_.live.at(slice_of(launch.arguments[3]).buffer).data(), C.data(), 12);
    return device::LaunchReport{};
  });
  EXPECT_EQ(linear(2, Halves(16, 7)), Halves({1, 2, 3, 4, 5, 6}));
}

TEST_F(MarlinLinearOnMock, EverythingIsReleasedWithTheLayer) {
  {
    MarlinLinear linear = layer(WeightFormat::u4, 64, 64, 8);
    MarlinLinear moved = std::move(linear);
    moved(3, Halves(3 * 64));
    EXPECT_THAT(device_.live, SizeIs(3));  // words, scales, zeros: A and C are gone
  }
  EXPECT_THAT(device_.live, IsEmpty());
  quantized_linear(kernels_, weights_, 3, Halves(3 * 64));
  EXPECT_THAT(device_.live, IsEmpty());
}

// Whatever the device refuses, be it the first allocation or the last transfer: the error arrives, nothing
// more is asked of the device, and nothing stays behind.
TEST_F(MarlinLinearOnMock, AFailureAtAnyStepEndsItThereAndLeaksNothing) {
  for (const auto& [format, choice] : {std::pair{WeightFormat::fp4, KernelChoice{KernelRole::decode}},
                                       std::pair{WeightFormat::fp4, KernelChoice{KernelRole::staged}},
                                       std::pair{WeightFormat::fp4, KernelChoice{KernelRole::striped, 2, 3}},
                                       std::pair{WeightFormat::u4, KernelChoice{KernelRole::fused}}}) {
    const PackedWeights weights = pack(format, 64, 20, 8, normal_halves(64 * 20, 1, 2));
    std::size_t steps = 0;
    for (std::size_t failing = 0;; ++failing) {
      RecordingDevice device;
      KernelLibrary kernels(device, "kernels");
      device.failing_step = failing;
      const auto error = error_of<device::DeviceError>([&, &chosen = choice] {
        quantized_linear(kernels, weights, 20, Halves(20 * 64), {.choice = chosen});
      });
      EXPECT_THAT(device.live, IsEmpty()) << "step " << failing;
      if (error == "no error") {
        EXPECT_EQ(device.steps.size(), failing);
        steps = failing;
        break;
      }
      EXPECT_EQ(error, "refused: " + device.steps.at(failing));
      EXPECT_THAT(device.steps, SizeIs(failing + 1)) << "the device was used after its error";
    }
    // Words, scales, A: two steps each; C; the kernel: load, launch; download.
    EXPECT_EQ(steps, choice.role == KernelRole::striped ? 14u : format == WeightFormat::u4 ? 12u : 10u);
  }
}

TEST_F(MarlinLinearOnMock, AFailureLeavesTheLayerAsGoodAsBefore) {
  const KernelChoice striped{KernelRole::striped, 2, 3};
  const PackedWeights weights = pack(WeightFormat::fp4, 64, 20, 8, normal_halves(64 * 20, 1, 2));
  for (std::size_t failing = 4;; ++failing) {  // the first four make the layer
    RecordingDevice device;
    KernelLibrary kernels(device, "kernels");
    MarlinLinear linear(kernels, weights, {.choice = striped});
    device.failing_step = failing;
    const auto error = error_of<device::DeviceError>([&] { linear(20, Halves(20 * 64)); });
    if (error == "no error") break;
    const std::size_t before = device.launches.size();
    linear(20, Halves(20 * 64));
    std::vector<std::string> functions;
    for (std::size_t i = before; i < device.launches.size(); ++i) {
      functions.push_back(device.function_of(device.launches[i]));
    }
    // A striped launch that ended well, and only that, leaves zeros behind.
    if (device.steps.at(failing) == "download") {
      EXPECT_THAT(functions, ElementsAre("marlin_gemm_fp4_striped"));
    } else {
      EXPECT_THAT(functions, ElementsAre("marlin_zero_reduction", "marlin_gemm_fp4_striped"))
          << device.steps.at(failing);
    }
  }
}

TEST_F(MarlinLinearOnMock, AFailedLaunchAfterGoodOnesClearsAnew) {
  MarlinLinear linear =
      layer(WeightFormat::fp4, 64, 20, 8, {.choice = KernelChoice{KernelRole::striped, 2, 2}});
  const Halves A(20 * 64);
  linear(20, A);
  linear(20, A);
  ASSERT_THAT(device_.launches, SizeIs(3));
  device_.dirty_launch = 3;
  EXPECT_THAT(error_of<LaunchError>([&] { linear(20, A); }), StartsWith("marlin_gemm_fp4_striped: "));
  EXPECT_THAT(device_.live, SizeIs(2)) << "partials of unknown contents are of no use";
  linear(20, A);
  ASSERT_THAT(device_.launches, SizeIs(6));
  EXPECT_EQ(device_.function_of(device_.launches[4]), "marlin_zero_reduction");
}

TEST_F(MarlinLinearOnMock, ADirtyReportIsAnErrorThatCarriesTheFaults) {
  MarlinLinear linear = layer(WeightFormat::fp4, 64, 20, 8);
  device_.dirty_launch = 0;
  try {
    linear(1, Halves(64));
    FAIL() << "no error";
  } catch (const LaunchError& error) {
    EXPECT_STREQ(error.what(), "marlin_gemm_fp4_decode: a race at k.metal:17, and 1 more");
    ASSERT_THAT(error.report().faults, SizeIs(2));
    EXPECT_EQ(error.report().faults[0].count, 3u);
    EXPECT_EQ(error.report().faults[1].kind, device::FaultKind::out_of_bounds);
  }
  EXPECT_EQ(device_.steps.back(), "dispatch marlin_gemm_fp4_decode");
  EXPECT_THAT(device_.live, SizeIs(2));
}

TEST_F(MarlinLinearOnMock, NothingIsLaunchedOnWhatADirtyClearingLeft) {
  MarlinLinear linear =
      layer(WeightFormat::fp4, 64, 20, 8, {.choice = KernelChoice{KernelRole::striped, 2, 2}});
  device_.dirty_launch = 0;
  EXPECT_THAT(error_of<LaunchError>([&] { linear(20, Halves(20 * 64)); }),
              StartsWith("marlin_zero_reduction: "));
  EXPECT_THAT(device_.launches, SizeIs(1));
  device_.dirty_launch = 2;  // cleared again, and then the product itself
  EXPECT_THAT(error_of<LaunchError>([&] { linear(20, Halves(20 * 64)); }),
              StartsWith("marlin_gemm_fp4_striped: "));
  EXPECT_THAT(device_.launches, SizeIs(3));
  device_.dirty_launch.reset();
  linear(20, Halves(20 * 64));
  EXPECT_EQ(device_.function_of(device_.launches.at(3)), "marlin_zero_reduction");
}

TEST_F(MarlinLinearOnMock, WhatDoesNotFitIsRefusedBeforeTheDeviceIsAskedForAnything) {
  MarlinLinear linear = layer(WeightFormat::fp4, 64, 20, 8);
  const std::size_t before = device_.steps.size();
  const auto error = [](auto&& run) { return error_of<std::invalid_argument>(run); };
  EXPECT_THAT(error([&] { linear(0, {}); }), HasSubstr("M: must be at least 1"));
  EXPECT_THAT(error([&] { linear(2, Halves(64)); }), HasSubstr("A: has 64 elements, needs M x K = 2 x 64"));
  EXPECT_THAT(error([&] { linear(std::size_t{1} << 40, Halves(64)); }), HasSubstr("M: "));
  EXPECT_THAT(error([&] {
                linear.run(1, {{}, 0, 126}, {{}, 0, 40});
              }),
              HasSubstr("A: the slice has 126 bytes"));
  EXPECT_THAT(error([&] {
                linear.run(1, {{}, 0, 128}, {{}, 0, 42});
              }),
              HasSubstr("C: the slice has 42 bytes"));
  device_.device_limits.threadgroup_memory_bytes = 4607;
  EXPECT_THAT(error([&] { linear(1, Halves(64)); }), HasSubstr("marlin_gemm_fused_fp4 needs 4608 bytes"));
  device_.device_limits = {};
  PackedWeights bad = weights_;
  bad.group_size = 20;
  EXPECT_THAT(error([&] { MarlinLinear(kernels_, bad); }), HasSubstr("group_size: "));
  bad = weights_;
  bad.words.resize(1);
  EXPECT_THAT(error([&] { MarlinLinear(kernels_, bad); }), HasSubstr("words: "));
  EXPECT_EQ(device_.steps.size(), before);
  EXPECT_THAT(device_.launches, IsEmpty());
}

}  // namespace
}  // namespace assay::host
