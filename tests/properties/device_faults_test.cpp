// A fault of the device never passes for a kernel that is right: over whole trials, on two devices as in fast
// mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "assay/device/audited_device.hpp"
#include "assay/device/faulty_device.hpp"
#include "assay/device/guarded_device.hpp"
#include "properties/cases/trial.hpp"
#include "reference/fp4.hpp"
#include "reference/half.hpp"
#include "reference/packing.hpp"
#include "tests/device/memory_device.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using device::DeviceFault;
using device::MemoryDevice;
using device::MemoryLaunch;
using device::PlannedFault;
using ::testing::HasSubstr;

KernelEntry product() {
  return assay::parse_manifest(R"toml([[kernel]]
name = "gemm"
source = "kernel.metal"
operation = "gemm_fp4"
arguments = ["A", "B", "scales", "C", "M", "N", "K", "group_size"]
threads_per_threadgroup = 32
grid = "rows"
)toml",
                               "kernels.toml")
      .at(0);
}

/// C = A x W, right; its sums are not exact, so that a low bit of C may turn within the bound.
void gemm(MemoryLaunch& launch) {
  const auto scalar = [&](std::size_t i) { return std::size_t{launch.value<std::uint32_t>(i)}; };
  const std::size_t M = scalar(4), N = scalar(5), K = scalar(6), group_size = scalar(7);
  const std::span<const std::uint32_t> B(launch.pointer<std::uint32_t>(1), (K + 7) / 8 * N);
  for (std::size_t i = 0; i < M * N; ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < K; ++k) {
      const auto scale = launch.pointer<std::uint16_t>(2)[k / group_size * N + i % N];
      const auto weight = reference::fp4_weight(reference::nibble_at(B, N, k, i % N), scale);
      sum += reference::half_to_float(launch.pointer<std::uint16_t>(0)[i / N * K + k]) *
             reference::half_to_float(weight);
    }
    launch.pointer<std::uint16_t>(3)[i] = reference::half_from_float(sum);
  }
}

struct Tried {
  Outcome outcome;
  std::size_t struck;
};

Tried try_with(const device::FaultPlan& plan, const Case& test_case,
               const MemoryDevice::Kernel& kernel = gemm) {
  MemoryDevice memory;
  memory.add("gemm", kernel);
  device::FaultyDevice faulty(memory, plan);
  device::AuditedDevice audited(faulty);
  device::GuardedDevice first(audited), second(audited, {.poison = device::kSecondPoison});
  const KernelEntry kernel_entry = product();
  const Trial trial(kernel_entry, {{&first, device::kPoison}, {&second, device::kSecondPoison}});
  const TrialResult result = trial.run(test_case);
  EXPECT_EQ(faulty.live_buffers(), 0u);
  EXPECT_EQ(faulty.wrong_releases(), 0u);
  return {result.outcome, faulty.struck().size()};
}

Case problem(std::uint64_t seed = 1) { return testing::gemm_case(3, 5, 19, 8, "random", seed); }

RC_GTEST_PROP(TrialOnAFaultyDevice, PassesOnlyWhatNothingStruck, ()) {
  PlannedFault planned;
  planned.fault = *rc::gen::element(DeviceFault::allocation_refused, DeviceFault::device_lost,
                                    DeviceFault::upload_cut_short, DeviceFault::upload_bit_flipped,
                                    DeviceFault::memory_bit_flipped, DeviceFault::dispatch_lost,
                                    DeviceFault::dispatch_repeated, DeviceFault::readback_stale);
  const bool of_launches = planned.fault == DeviceFault::memory_bit_flipped ||
                           planned.fault == DeviceFault::dispatch_lost ||
                           planned.fault == DeviceFault::dispatch_repeated;
  // From 3: the kernel is loaded with the first two calls, before there is a trial.
  planned.call = of_launches ? *rc::gen::inRange<std::size_t>(1, 4) : *rc::gen::inRange<std::size_t>(3, 60);
  planned.position = *rc::gen::inRange<std::size_t>(0, 1 << 16);
  const Tried tried = try_with({.faults = {planned}}, problem(*rc::gen::inRange<std::uint64_t>(0, 100)));
  if (tried.struck > 0) RC_TAG(std::string(name_of(planned.fault)));
  RC_ASSERT((tried.outcome.verdict == Verdict::pass) == (tried.struck == 0));
  const bool can_look_like_the_kernel = planned.fault == DeviceFault::memory_bit_flipped;
  if (tried.struck > 0 && !can_look_like_the_kernel) RC_ASSERT(tried.outcome.verdict == Verdict::error);
}

TEST(TrialOnAFaultyDevice, AFaultIsAnErrorThatSaysWhatHappened) {
  const auto outcome = [](DeviceFault fault, std::size_t call) {
    return try_with({.faults = {{fault, call, 5}}}, problem()).outcome;
  };
  const Outcome lost = outcome(DeviceFault::device_lost, 20);
  EXPECT_EQ(lost.verdict, Verdict::error);
  EXPECT_THAT(lost.summary, HasSubstr("device lost at call 20"));
  EXPECT_EQ(lost.details, std::vector<std::string>{lost.summary});
  EXPECT_THAT(outcome(DeviceFault::dispatch_repeated, 2).summary, HasSubstr("repeated a launch"));
}

// Either bench may be the one whose memory turns; the low bit of a sum is within the bound.
TEST(TrialOnAFaultyDevice, AnyBitThatTurnsAfterEitherLaunchIsSeen) {
  const std::size_t bits = 16 * 3 * 19 + 32 * 3 * 5 + 16 * 3 * 5 + 16 * 3 * 5;  // of A, B, scales, C
  for (const std::size_t launch : {1, 2}) {
    for (std::size_t bit = 0; bit < bits; bit += 3) {
      const auto outcome = try_with({.faults = {{DeviceFault::memory_bit_flipped, launch, bit}}}, problem());
      ASSERT_EQ(outcome.outcome.verdict, Verdict::wrong_result) << "bit " << bit << ", launch " << launch;
    }
  }
}

// The device's fault comes first: a kernel is not judged by what a failing device shows of it.
TEST(TrialOnAFaultyDevice, AWrongKernelIsNotBlamedThere) {
  const auto nothing = [](MemoryLaunch&) {};
  EXPECT_EQ(try_with({}, problem(), nothing).outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(try_with({.faults = {{DeviceFault::dispatch_lost}}}, problem(), nothing).outcome.verdict,
            Verdict::error);
}

}  // namespace
}  // namespace assay::properties
