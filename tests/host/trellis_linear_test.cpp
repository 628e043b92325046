// The layer over trellis weights: which kernel, bound how, on a mock device; and end to end on the simulated
// GPU against the reference product.
#include "kernels/host/trellis_linear.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "harness/simulator/simulated_gpu.hpp"
#include "harness/verify/manifest.hpp"
#include "reference/bound.hpp"
#include "reference/gemm.hpp"
#include "tests/host/packing.hpp"
#include "tests/host/recording_device.hpp"
#include "tests/host/trellis_weights.hpp"

namespace assay::host {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StrEq;
using testing::ThrowsMessage;

const std::string kFolder = std::string(ASSAY_SOURCE_DIR) + "/kernels";

TEST(TrellisKernels, AgreeWithTheManifest) {
  const auto manifest = assay::read_manifest(kFolder + "/kernels.toml");
  for (const KernelDescription* kernel : {&trellis_prefill_kernel(), &trellis_decode_kernel()}) {
    const auto entry = std::find_if(manifest.begin(), manifest.end(),
                                    [&](const auto& candidate) { return candidate.name == kernel->name; });
    ASSERT_NE(entry, manifest.end()) << kernel->name;
    EXPECT_EQ(source_of(*kernel, kFolder).function, entry->function);
    EXPECT_EQ(entry->threads_per_threadgroup, (device::Size3{kernel->threads_per_threadgroup, 1, 1}));
    EXPECT_EQ(entry->claims.at("threadgroup_bytes"), static_cast<double>(kernel->threadgroup_bytes));
    EXPECT_EQ(entry->tile.value().m, kernel->tile_m);
    EXPECT_EQ(entry->tile.value().n, kernel->tile_n);
    ASSERT_EQ(entry->arguments.size(), kernel->arguments.size());
    for (std::size_t i = 0; i < kernel->arguments.size(); ++i) {
      EXPECT_EQ(std::get<NamedArgument>(entry->arguments[i]).name, name_of(kernel->arguments[i])) << i;
    }
  }
}

TEST(TrellisLinear, DecodesUpTo16Rows) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const TrellisTensors weights(40, 300, 16, 3);
  TrellisLinear linear(kernels, weights.view());
  for (const std::size_t M : {1, 16, 17, 129}) {
    linear(M, Halves(M * 40, 0));
    const device::Dispatch& launch = device.launches.back();
    const bool decodes = M <= 16;
    EXPECT_EQ(device.function_of(launch), decodes ? "gemm_trellis_packed_decode" : "gemm_trellis_packed");
    const auto rows = static_cast<std::uint32_t>(decodes ? 1 : (M + 63) / 64);
    EXPECT_EQ(launch.grid, (device::Size3{decodes ? 3U : 5U, rows, 1})) << M;
  }
}

TEST(TrellisLinear, BindsEveryTensorAndSize) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const TrellisTensors weights(40, 30, 16, 3);
  TrellisLinear linear(kernels, weights.view());
  const device::Buffer a(device, 2 * 5 * 40), c(device, 2 * 5 * 30);
  linear.run(5, a.whole(), c.whole());
  const auto& arguments = device.launches.back().arguments;
  ASSERT_EQ(arguments.size(), 13U);
  const auto bytes_of = [&](std::size_t i) {
    return device.live.at(std::get<device::BufferSlice>(arguments[i]).buffer);
  };
  const auto expect_tensor = [&](std::size_t i, auto& tensor) {
    const auto bytes = std::as_bytes(std::span(tensor));
    EXPECT_EQ(bytes_of(i), std::vector<std::byte>(bytes.begin(), bytes.end())) << i;
  };
  EXPECT_EQ(std::get<device::BufferSlice>(arguments[0]).buffer, a.id());
  expect_tensor(1, weights.packed_indices);
  expect_tensor(2, weights.scales);
  expect_tensor(3, weights.grid);
  expect_tensor(4, weights.su);
  expect_tensor(5, weights.sv);
  EXPECT_EQ(std::get<device::BufferSlice>(arguments[6]).buffer, c.id());
  const std::uint32_t sizes[] = {5, 30, 40, 16, 3, 7};
  for (std::size_t i = 0; i < 6; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, std::get<device::InlineBytes>(arguments[7 + i]).bytes.data(), sizeof value);
    EXPECT_EQ(value, sizes[i]) << i;
  }
}

TEST(TrellisLinear, RefusesByNameBeforeAnythingReachesTheDevice) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const auto refused = [&](const std::function<void(TrellisTensors&)>& spoil, const char* what) {
    TrellisTensors weights(40, 30, 16, 3);
    spoil(weights);
    EXPECT_THAT([&] { TrellisLinear(kernels, weights.view()); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(what)));
  };
  refused([](TrellisTensors& w) { w.su[39] = 0.5F; }, "su: element 39");
  refused([](TrellisTensors& w) { w.sv[0] = -0.0F; }, "sv: element 0");
  refused([](TrellisTensors& w) { w.scales[5] = std::numeric_limits<float>::quiet_NaN(); },
          "scales: element 5 is nan");
  refused([](TrellisTensors& w) { w.bits = 4; }, "packed_indices: has");
  refused([](TrellisTensors& w) { w.group_size = 8; }, "scales: has");
  refused([](TrellisTensors& w) { w.grid.resize(9); }, "grid: has 9 levels");
  EXPECT_THAT(device.steps, IsEmpty());

  const TrellisTensors weights(40, 30, 16, 3);
  TrellisLinear linear(kernels, weights.view());
  const auto steps = device.steps.size();
  EXPECT_THAT([&] { linear(2, Halves(79)); }, ThrowsMessage<std::invalid_argument>(HasSubstr("A: has 79")));
  EXPECT_THAT([&] { linear(0, Halves()); }, ThrowsMessage<std::invalid_argument>(HasSubstr("M: ")));
  EXPECT_THAT([&] { linear.kernel_for(std::size_t{1} << 28); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("32-bit indices")));
  device.device_limits.threadgroup_memory_bytes = 4096;
  EXPECT_THAT([&] { linear.kernel_for(1); }, ThrowsMessage<std::invalid_argument>(HasSubstr("5120 bytes")));
  EXPECT_EQ(device.steps.size(), steps);
}

TEST(TrellisLinear, AFaultOfTheKernelIsAnError) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const TrellisTensors weights(8, 8, 8, 2);
  TrellisLinear linear(kernels, weights.view());
  const auto live = device.live.size();
  device.dirty_launch = 0;
  EXPECT_THROW(linear(1, Halves(8, 0)), LaunchError);
  EXPECT_EQ(device.live.size(), live) << "A and C are released";
}

TEST(TrellisLinear, ADirtyReportNamesTheKernelAndItsFault) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const TrellisTensors weights(8, 8, 8, 2);
  TrellisLinear linear(kernels, weights.view());
  device.dirty_launch = 0;
  EXPECT_THAT([&] { linear(17, Halves(17 * 8)); },
              ThrowsMessage<LaunchError>(StrEq("gemm_trellis_packed: a race at k.metal:17, and 1 more")));
  EXPECT_EQ(device.steps.back(), "dispatch gemm_trellis_packed") << "C of a faulty launch is not read";
}

TEST(TrellisLinear, TheResultIsWhatTheKernelLeftInC) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const TrellisTensors weights(8, 3, 8, 2);
  TrellisLinear linear(kernels, weights.view());
  EXPECT_CALL(device, dispatch).WillOnce([&](const device::Dispatch& launch) {
    const Halves C = {1, 2, 3, 4, 5, 6};
    const auto& c = std::get<device::BufferSlice>(launch.arguments.at(6));
    EXPECT_EQ(c.size_bytes, 12u);
    std::memcpy(device.live.at(c.buffer).data(), C.data(), 12);
    return device::LaunchReport{};
  });
  EXPECT_EQ(linear(2, Halves(16, 7)), Halves({1, 2, 3, 4, 5, 6}));
}

TEST(TrellisLinear, WeightsStayAsLongAsTheLayerAndAKernelIsLoadedOnce) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const TrellisTensors weights(8, 8, 8, 2);
  {
    TrellisLinear linear(kernels, weights.view());
    TrellisLinear moved = std::move(linear);
    for (const std::size_t M : {1, 2, 17, 18}) moved(M, Halves(M * 8));
    EXPECT_EQ(device.live.size(), 5u) << "packed_indices, scales, grid, su, sv: A and C are gone";
    EXPECT_EQ(device.most_live, 7u);
    EXPECT_EQ(device.launches.size(), 4u) << "nothing but the product is launched";
  }
  EXPECT_THAT(device.live, IsEmpty());
  ASSERT_EQ(device.sources.size(), 2u);
  EXPECT_EQ(device.sources[0].path, "some/kernels/gemm_trellis_packed_decode.metal");
  EXPECT_EQ(device.sources[1].path, "some/kernels/gemm_trellis_packed.metal");
}

// In the constructor, between load and launch, at any transfer: the error arrives, nothing more is asked of
// the device, nothing stays behind, and the layer, where there is one, works the next time.
TEST(TrellisLinear, AFailureAtAnyStepEndsItThereAndLeaksNothing) {
  const TrellisTensors weights(8, 8, 8, 2);
  for (std::size_t failing = 0;; ++failing) {
    RecordingDevice device;
    KernelLibrary kernels(device, "some/kernels");
    device.failing_step = failing;
    std::string error;
    try {
      TrellisLinear linear(kernels, weights.view());
      try {
        linear(3, Halves(3 * 8));
      } catch (const device::DeviceError&) {
        EXPECT_EQ(device.live.size(), 5u) << "A or C stays behind after step " << failing;
        EXPECT_EQ(device.steps.size(), failing + 1) << "the device was used after its error";
        linear(3, Halves(3 * 8));
        throw;
      }
    } catch (const device::DeviceError& failed) {
      error = failed.what();
    }
    EXPECT_THAT(device.live, IsEmpty()) << "step " << failing;
    if (error.empty()) {
      EXPECT_EQ(failing, 16u);  // five tensors and A, two steps each; C; load, launch, download
      break;
    }
    EXPECT_EQ(error, "refused: " + device.steps.at(failing));
  }
}

TEST(TrellisLinear, ADeviceOfJustEnoughMemoryAndThreadsIsEnough) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const TrellisTensors weights(8, 8, 8, 2);
  TrellisLinear linear(kernels, weights.view());
  for (const auto& [rows, bytes] : {std::pair<std::size_t, std::size_t>{16, 5120}, {17, 9216}}) {
    const std::size_t M = rows;
    device.device_limits = {.threadgroup_memory_bytes = bytes, .threads_per_threadgroup = 128};
    EXPECT_NO_THROW(linear.kernel_for(M));
    device.device_limits.threads_per_threadgroup = 127;
    EXPECT_THAT([&] { linear.kernel_for(M); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("128 threads")));
    device.device_limits = {.threadgroup_memory_bytes = bytes - 1};
    EXPECT_THAT([&] { linear.kernel_for(M); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(std::to_string(bytes) + " bytes")));
    device.device_limits = {.simdgroup_width = 16};
    EXPECT_THAT([&] { linear.kernel_for(M); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("simdgroups of 16")));
  }
}

TEST(TrellisLinear, SlicesHaveExactlyTheSizeOfAAndC) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const TrellisTensors weights(8, 24, 8, 2);
  TrellisLinear linear(kernels, weights.view());
  const auto steps = device.steps.size();
  for (const std::size_t off : {std::size_t{2}, static_cast<std::size_t>(-2)}) {
    EXPECT_THAT(
        [&] {
          linear.run(1, {{}, 0, 16 + off}, {{}, 0, 48});
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("A: the slice has")));
    EXPECT_THAT(
        [&] {
          linear.run(1, {{}, 0, 16}, {{}, 0, 48 + off});
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("C: the slice has")));
  }
  EXPECT_EQ(device.steps.size(), steps);
}

struct Size {
  std::size_t M, N, K, group_size;
  unsigned bits;
  simulator::Mode mode;
};

class SimulatedTrellisLinear : public testing::TestWithParam<Size> {};

TEST_P(SimulatedTrellisLinear, IsTheReferenceProduct) {
  const Size& size = GetParam();
  simulator::SimulatedGpu gpu({.mode = size.mode, .threads = 1, .schedule = 0, .limits = {}});
  KernelLibrary kernels(gpu, kFolder);
  const TrellisTensors weights(size.K, size.N, size.group_size, size.bits);
  TrellisLinear linear(kernels, weights.view());
  const Halves A = normal_halves(size.M * size.K, 1, 5);
  const Halves C = linear(size.M, A);
  const auto sums =
      reference::gemm_sums(size.M, size.N, size.K, A, reference::dequantize_trellis(weights.view()));
  const reference::ForwardErrorBound bound(size.K, reference::kFloatUnitRoundoff);
  ASSERT_EQ(C.size(), sums.sum.size());
  for (std::size_t i = 0; i < C.size(); ++i) {
    ASSERT_TRUE(bound.accept(sums.sum[i], sums.magnitude[i]).contains(reference::half_to_double(C[i]))) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(RowsAndWidths, SimulatedTrellisLinear,
                         testing::Values(Size{1, 70, 75, 8, 2, simulator::Mode::checked},
                                         Size{16, 130, 40, 32, 3, simulator::Mode::checked},
                                         Size{17, 70, 75, 24, 3, simulator::Mode::checked},
                                         Size{70, 130, 200, 128, 4, simulator::Mode::fast}),
                         [](const auto& of) {
                           const Size& size = of.param;
                           return fmt::format("M{}_N{}_K{}_in_{}_bits", size.M, size.N, size.K, size.bits);
                         });

}  // namespace
}  // namespace assay::host
