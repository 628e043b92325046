// Layers on a device that fails: what is refused surfaces and leaks nothing, what goes wrong in silence an
// audited device says; and the shapes of what every layer asks of a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "assay/device/audited_device.hpp"
#include "assay/device/faulty_device.hpp"
#include "kernels/host/marlin_linear.hpp"
#include "tests/host/packing.hpp"
#include "tests/host/recording_device.hpp"

namespace assay::host {
namespace {

using device::DeviceFault;
using device::PlannedFault;
using testing::AnyOf;
using testing::HasSubstr;

struct Seen {
  std::string error;
  std::vector<PlannedFault> struck;
};

/// Two products on an audited device with a fault; nothing may be left behind.
Seen multiply(const PlannedFault& fault, const KernelChoice& choice) {
  const PackedWeights weights = pack(WeightFormat::fp4, 64, 20, 8, normal_halves(64 * 20, 1, 2));
  RecordingDevice recording;
  device::FaultyDevice faulty(recording, {.faults = {fault}});
  device::AuditedDevice audited(faulty);
  KernelLibrary kernels(audited, "kernels");
  Seen seen;
  try {
    MarlinLinear linear(kernels, weights, {.cores = 1, .choice = choice});
    for (const std::size_t M : {3, 5}) linear(M, normal_halves(M * 64, 1, 3));
  } catch (const device::DeviceError& error) {
    seen.error = error.what();
  }
  EXPECT_EQ(faulty.live_buffers(), 0u) << seen.error;
  EXPECT_EQ(faulty.wrong_releases(), 0u) << seen.error;
  EXPECT_TRUE(recording.live.empty()) << seen.error;
  seen.struck = faulty.struck();
  return seen;
}

// Each call in turn, through two products of which the second finds what the first left (a striped one its
// zero buffers).
TEST(LinearOnAFaultyDevice, ACallThatFailsAnywhereIsAnErrorAndLeaksNothing) {
  for (const KernelChoice& choice :
       {KernelChoice{KernelRole::decode}, KernelChoice{KernelRole::striped, 2, 3}}) {
    for (const DeviceFault fault : {DeviceFault::call_refused, DeviceFault::device_lost}) {
      std::size_t failed = 0;
      for (std::size_t call = 1;; ++call) {
        const Seen seen = multiply({fault, call}, choice);
        if (seen.struck.empty()) break;
        failed += !seen.error.empty();
        // Only a device that is lost while the layer gives its last buffers back troubles nobody.
        if (seen.error.empty()) {
          EXPECT_EQ(fault, DeviceFault::device_lost) << call;
        } else {
          EXPECT_THAT(seen.error, AnyOf(HasSubstr("refused, call"), HasSubstr("device lost at call"),
                                        HasSubstr("the device is lost")));
        }
      }
      EXPECT_GT(failed, 20u);
    }
  }
}

RC_GTEST_PROP(LinearOnAFaultyDevice, AnAuditSaysWhatGoesWrongInSilence, ()) {
  PlannedFault fault;
  fault.fault = *rc::gen::element(DeviceFault::upload_cut_short, DeviceFault::upload_bit_flipped,
                                  DeviceFault::dispatch_lost, DeviceFault::readback_stale);
  fault.call = *rc::gen::inRange<std::size_t>(1, 9);
  fault.position = *rc::gen::inRange<std::size_t>(0, 1 << 14);
  const bool striped = *rc::gen::arbitrary<bool>();
  const Seen seen = multiply(fault, striped ? KernelChoice{KernelRole::striped, 2, 3} : KernelChoice{});
  RC_ASSERT(seen.error.empty() == seen.struck.empty());
}

// Whatever the shape: the grid covers C and no tile lies beyond it, A and C have no padding, only a striped
// product is preceded by a clearing, and one clearing covers all that it adds up in.
RC_GTEST_PROP(LinearOnMock, WhatIsLaunchedFitsTheShape, ()) {
  const auto size = [](int most) { return rc::gen::inRange<std::size_t>(1, static_cast<std::size_t>(most)); };
  const auto M = *size(200), N = *size(200), K = *size(200);
  const auto role =
      *rc::gen::element(KernelRole::decode, KernelRole::fused, KernelRole::staged, KernelRole::striped,
                        KernelRole::triple, KernelRole::shallow, KernelRole::hybrid);
  KernelChoice choice{role};
  if (role == KernelRole::striped) {
    choice.slices = *rc::gen::inRange<std::uint32_t>(1, 6);
    choice.threadgroups = *rc::gen::inRange<std::uint32_t>(1, 20);
  }
  RecordingDevice device;
  KernelLibrary kernels(device, "kernels");
  const PackedWeights weights = pack(WeightFormat::fp4, K, N, 8, Halves(K * N, 0x3C00));
  quantized_linear(kernels, weights, M, Halves(M * K), {.cores = 1, .choice = choice});

  RC_ASSERT(device.live.empty());
  RC_ASSERT(device.launches.size() == (role == KernelRole::striped ? 2u : 1u));
  const device::Dispatch& product = device.launches.back();
  const auto bytes = [](const device::Dispatch& launch, std::size_t i) {
    return std::get<device::BufferSlice>(launch.arguments.at(i)).size_bytes;
  };
  RC_ASSERT(bytes(product, 0) == 2 * M * K);
  RC_ASSERT(bytes(product, 1) == 4 * ((K + 7) / 8) * N);
  RC_ASSERT(bytes(product, 2) == 2 * ((K + 7) / 8) * N);
  RC_ASSERT(bytes(product, 3) == 2 * M * N);
  const KernelDescription& kernel = *find_kernel(WeightFormat::fp4, role);
  const auto covers = [](std::size_t tiles, std::size_t tile, std::size_t side) {
    return tiles * tile >= side && (tiles - 1) * tile < side;
  };
  RC_ASSERT(product.grid.z == 1u);
  if (role != KernelRole::striped) {
    RC_ASSERT(covers(product.grid.x, kernel.tile_n, N));
    RC_ASSERT(covers(product.grid.y, kernel.tile_m, M));
    return;
  }
  RC_ASSERT(product.grid == (device::Size3{choice.threadgroups, 1, 1}));
  const device::Dispatch& clearing = device.launches.front();
  RC_ASSERT(device.function_of(clearing) == "marlin_zero_reduction");
  RC_ASSERT(bytes(clearing, 0) == bytes(product, 4));
  RC_ASSERT(bytes(clearing, 1) == bytes(product, 5));
  RC_ASSERT(bytes(product, 4) == 4 * choice.slices * M * N);
  RC_ASSERT(bytes(product, 5) == 4 * ((M + 63) / 64) * ((N + 63) / 64));
  RC_ASSERT(covers(clearing.grid.x, 8 * 128, std::max(bytes(product, 4), bytes(product, 5)) / 4));
}

}  // namespace
}  // namespace assay::host
