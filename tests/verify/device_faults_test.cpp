// Whatever goes wrong with a device in the middle of a run is noticed, named, and leaves no buffer behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>

#include "assay/device/audited_device.hpp"
#include "assay/device/faulty_device.hpp"
#include "assay/device/guarded_device.hpp"
#include "harness/verify/run_problem.hpp"
#include "tests/device/memory_device.hpp"

namespace assay {
namespace {

using device::DeviceFault;
using device::FaultPlan;
using device::MemoryDevice;
using device::MemoryLaunch;
using device::PlannedFault;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

/// y = x + 3, z = z + x: an input, an output, and one that is both and adds up.
KernelEntry entry() {
  return parse_manifest(R"toml([[kernel]]
name = "add"
source = "add.metal"
operation = "add"
arguments = ["x", "y", "z", "offset"]
threads_per_threadgroup = 32
grid = "rows"
)toml",
                        "kernels.toml")
      .at(0);
}

Problem problem(std::size_t size) {
  Problem p{"add",
            {{"offset", 3}},
            {make_tensor("x", DType::u8, {size}), make_tensor("z", DType::u8, {size})},
            {{"y", DType::u8, {size}}, {"z", DType::u8, {size}}}};
  for (std::size_t i = 0; i < size; ++i) {
    p.inputs[0].as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i + 1);
    p.inputs[1].as<std::uint8_t>()[i] = static_cast<std::uint8_t>(100 - i);
  }
  return p;
}

void add(MemoryLaunch& launch) {
  const auto sum = [](unsigned a, unsigned b) { return static_cast<std::uint8_t>(a + b); };
  for (std::size_t i = 0; i < launch.size_bytes(1); ++i) {
    const std::uint8_t x = launch.pointer<std::uint8_t>(0)[i];
    launch.pointer<std::uint8_t>(1)[i] = sum(x, launch.value<std::uint32_t>(3));
    launch.pointer<std::uint8_t>(2)[i] = sum(launch.pointer<std::uint8_t>(2)[i], x);
  }
}

bool right(const RunResult& result, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (result.outputs.at(0).as<std::uint8_t>()[i] != static_cast<std::uint8_t>(i + 4)) return false;
    if (result.outputs.at(1).as<std::uint8_t>()[i] != 101) return false;
  }
  return true;
}

struct Seen {
  std::string error;  ///< of the device; else
  bool right = false;
  std::vector<std::string> changed_inputs;
  std::vector<PlannedFault> struck;
  std::size_t calls = 0;

  bool noticed() const { return !error.empty() || !right || !changed_inputs.empty(); }
};

/// A run behind guards, as verification does it in fast mode; nothing may be left behind.
Seen run_with(const FaultPlan& plan, std::size_t size, bool audited = true,
              const MemoryDevice::Kernel& kernel = add) {
  MemoryDevice memory;
  memory.add("add", kernel);
  device::FaultyDevice faulty(memory, plan);
  device::AuditedDevice audit(faulty);
  device::GuardedDevice guarded(audited ? static_cast<device::Device&>(audit) : faulty, {.guard_bytes = 256});
  Seen seen;
  try {
    const RunResult result =
        run_problem(guarded, guarded.load(entry().kernel_source()), entry(), problem(size));
    seen.right = result.report.clean() && right(result, size);
    seen.changed_inputs = result.changed_inputs;
  } catch (const device::DeviceError& error) {
    seen.error = error.what();
  }
  EXPECT_EQ(faulty.live_buffers(), 0u) << seen.error;
  EXPECT_EQ(faulty.wrong_releases(), 0u) << seen.error;
  EXPECT_EQ(memory.live_buffers(), 0u) << seen.error;
  seen.struck = faulty.struck();
  seen.calls = faulty.calls();
  return seen;
}

FaultPlan one(DeviceFault fault, std::size_t call = 1, std::size_t position = 0) {
  return {.faults = {{fault, call, position}}};
}

// Guards, garbage of fresh memory, inputs: any upload; outputs, inputs, guards, what an audit reads: any
// download. Calls go as far as the last download: of releases, which nobody waits for, see below.
RC_GTEST_PROP(DeviceFaults, EveryOneThatStrikesIsNoticed, ()) {
  const auto fault = rc::gen::build<PlannedFault>(
      rc::gen::set(&PlannedFault::fault,
                   rc::gen::element(DeviceFault::allocation_refused, DeviceFault::call_refused,
                                    DeviceFault::device_lost, DeviceFault::upload_cut_short,
                                    DeviceFault::upload_bit_flipped, DeviceFault::memory_bit_flipped,
                                    DeviceFault::dispatch_lost, DeviceFault::dispatch_repeated,
                                    DeviceFault::readback_stale)),
      rc::gen::set(&PlannedFault::call,
                   rc::gen::weightedOneOf<std::size_t>(
                       {{1, rc::gen::just<std::size_t>(1)}, {3, rc::gen::inRange<std::size_t>(1, 30)}})),
      rc::gen::set(&PlannedFault::position, rc::gen::inRange<std::size_t>(0, 1 << 16)));
  const PlannedFault planned = *fault;
  const auto size = *rc::gen::inRange<std::size_t>(1, 40);
  const Seen seen = run_with({.faults = {planned}}, size);
  for (const PlannedFault& struck : seen.struck) RC_TAG(std::string(name_of(struck.fault)));
  RC_ASSERT(seen.noticed() == !seen.struck.empty());
}

TEST(DeviceFaults, ErrorsNameWhatHappened) {
  const auto error = [](const FaultPlan& plan) { return run_with(plan, 8).error; };
  EXPECT_THAT(error(one(DeviceFault::allocation_refused, 2)),
              HasSubstr("allocation 2 of 520 bytes refused: out of memory"));
  EXPECT_THAT(error(one(DeviceFault::device_lost, 5)), HasSubstr("device lost at call 5"));
  EXPECT_THAT(error(one(DeviceFault::call_refused, 1)), HasSubstr("load of add refused"));
  // Each buffer takes three uploads of its own, two guards and the garbage between them; then its contents.
  EXPECT_THAT(
      error(one(DeviceFault::upload_cut_short, 4, 5)),
      AllOf(HasSubstr("upload of 8 bytes"), HasSubstr("reads back other bytes than were sent: 3 of 8")));
  EXPECT_THAT(error(one(DeviceFault::upload_cut_short, 1, 5)), HasSubstr("reads back other bytes"));
  EXPECT_THAT(error(one(DeviceFault::upload_bit_flipped, 1, 5)), HasSubstr("one bit of byte 0 is flipped"));
  EXPECT_THAT(error(one(DeviceFault::dispatch_lost)),
              HasSubstr("the device lost a launch: none of its 32 threads ran"));
  EXPECT_THAT(error(one(DeviceFault::dispatch_repeated)),
              HasSubstr("the device repeated a launch: its 32 threads ran 2"));
}

// A bit that turns in memory is the one fault that looks as if the kernel had done it.
TEST(DeviceFaults, ABitThatTurnsInMemoryIsAChangedInputOrAWrongResult) {
  for (std::size_t bit = 0; bit < 3 * 8 * 4; ++bit) {
    const Seen seen = run_with(one(DeviceFault::memory_bit_flipped, 1, bit), 4);
    const bool in_input = bit < 8 * 4;
    EXPECT_EQ(seen.error, "");
    EXPECT_EQ(seen.right, in_input) << bit;
    EXPECT_EQ(seen.changed_inputs.size(), in_input ? 1u : 0u) << bit;
  }
}

// Call by call until a run gets through: the error is that of the call, and nothing is left behind
// (run_with).
TEST(DeviceFaults, ACallThatFailsAnywhereIsAnErrorAndLeaksNothing) {
  for (const DeviceFault fault :
       {DeviceFault::call_refused, DeviceFault::allocation_refused, DeviceFault::device_lost}) {
    std::size_t failed = 0;
    for (std::size_t call = 1;; ++call) {
      const Seen seen = run_with(one(fault, call), 3);
      if (seen.struck.empty()) break;
      if (seen.error.empty()) {
        // All that can go wrong unseen is giving back what is no longer needed.
        EXPECT_EQ(fault, DeviceFault::device_lost);
        EXPECT_TRUE(seen.right && seen.changed_inputs.empty());
        EXPECT_GT(call + 3, run_with({}, 3).calls);
        continue;
      }
      EXPECT_THAT(seen.error, AnyOf(HasSubstr("refused"), HasSubstr("device lost at call")));
      ++failed;
    }
    EXPECT_GE(failed, fault == DeviceFault::allocation_refused ? 3u : 20u);
  }
}

// Without an audit, and on a device that does not count threads: what results alone can tell.
TEST(DeviceFaults, ResultsAloneTellOfWhatTheKernelSuffersFrom) {
  const auto silent = [](DeviceFault fault, const MemoryDevice::Kernel& kernel = add) {
    FaultPlan plan = one(fault);
    plan.counts_invocations = false;
    return run_with(plan, 8, false, kernel);
  };
  EXPECT_FALSE(silent(DeviceFault::dispatch_lost).right) << "y was never written";
  EXPECT_FALSE(silent(DeviceFault::dispatch_repeated).right) << "z has x added twice";
  // The inputs x and z arrive with the 4th and the 11th upload. A changed input is blamed on the kernel.
  EXPECT_FALSE(run_with(one(DeviceFault::upload_cut_short, 4), 8, false).changed_inputs.empty());
  EXPECT_FALSE(run_with(one(DeviceFault::upload_cut_short, 11), 8, false).right);
}

// A launch that ran twice leaves no trace in memory where running twice comes to the same: nothing but a
// device that counts its threads can tell. What verification says of the kernel is true all the same.
TEST(DeviceFaults, ARepeatedIdempotentLaunchIsSeenByTheCountAlone) {
  const auto idempotent = [](MemoryLaunch& launch) {
    for (std::size_t i = 0; i < launch.size_bytes(1); ++i) {
      launch.pointer<std::uint8_t>(1)[i] = static_cast<std::uint8_t>(launch.pointer<std::uint8_t>(0)[i] + 3);
      launch.pointer<std::uint8_t>(2)[i] = 101;
    }
  };
  FaultPlan plan = one(DeviceFault::dispatch_repeated);
  EXPECT_THAT(run_with(plan, 8, true, idempotent).error, HasSubstr("repeated a launch"));
  plan.counts_invocations = false;
  const Seen seen = run_with(plan, 8, true, idempotent);
  EXPECT_EQ(seen.struck.size(), 1u);
  EXPECT_FALSE(seen.noticed());
}

}  // namespace
}  // namespace assay
