#include "harness/verify/run_problem.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/device/memory_device.hpp"

namespace assay {
namespace {

using device::FaultKind;
using device::MemoryDevice;
using device::MemoryLaunch;

/// y = x + offset over bytes.
KernelEntry adder() {
  return parse_manifest(R"toml([[kernel]]
name = "add"
source = "add.metal"
operation = "add"
arguments = ["x", "y", "offset"]
threads_per_threadgroup = 1
grid = "rows"
)toml",
                        "kernels.toml")
      .at(0);
}

Problem four_bytes() {
  Problem p{"add", {{"offset", 3}}, {make_tensor("x", DType::u8, {4})}, {{"y", DType::u8, {4}}}};
  for (std::uint8_t i = 0; i < 4; ++i) p.inputs[0].as<std::uint8_t>()[i] = i;
  return p;
}

void add(MemoryLaunch& launch) {
  for (std::size_t i = 0; i < launch.size_bytes(1); ++i) {
    launch.pointer<std::uint8_t>(1)[i] =
        static_cast<std::uint8_t>(launch.pointer<std::uint8_t>(0)[i] + launch.value<std::uint32_t>(2));
  }
}

class Run : public testing::Test {
 protected:
  RunResult run_with(MemoryDevice::Kernel kernel, unsigned launches = 1) {
    device_.add("add", std::move(kernel));
    return run_problem(device_, device_.load(adder().kernel_source()), adder(), four_bytes(), launches);
  }
  MemoryDevice device_;
};

TEST_F(Run, OutputsComeBackAndBuffersGoBack) {
  const RunResult result = run_with(add);
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs[0].name, "y");
  for (std::uint8_t i = 0; i < 4; ++i) EXPECT_EQ(result.outputs[0].as<std::uint8_t>()[i], i + 3);
  EXPECT_TRUE(result.report.clean());
  EXPECT_TRUE(result.changed_inputs.empty());
  EXPECT_EQ(device_.live_buffers(), 0u);
}

TEST_F(Run, LaunchesShareTheirBuffers) {
  const RunResult result = run_with(
      [first = true](MemoryLaunch& launch) mutable {
        if (first) add(launch);
        if (!first)
          launch.pointer<std::uint8_t>(1)[0] =
              static_cast<std::uint8_t>(launch.pointer<std::uint8_t>(1)[0] * 2);
        first = false;
      },
      3);
  EXPECT_EQ(result.outputs[0].as<std::uint8_t>()[0], 12);
}

TEST_F(Run, FaultsOfAllLaunchesAreCountedTogether) {
  const RunResult result = run_with(
      [](MemoryLaunch& launch) {
        launch.report.faults.push_back({FaultKind::race, "two writes", {"k.metal", 7}, {}, 2});
      },
      3);
  ASSERT_EQ(result.report.faults.size(), 1u);
  EXPECT_EQ(result.report.faults[0].count, 6u);
}

TEST_F(Run, KernelThatWritesToItsInputIsSeen) {
  const RunResult result = run_with([](MemoryLaunch& launch) {
    add(launch);
    launch.pointer<std::uint8_t>(0)[2] = 99;
  });
  EXPECT_EQ(result.changed_inputs, std::vector<std::string>{"x"});
}

TEST_F(Run, BuffersGoBackWhenTheDeviceFails) {
  EXPECT_THROW(run_with([](MemoryLaunch&) { throw device::DeviceError("lost"); }), device::DeviceError);
  EXPECT_EQ(device_.live_buffers(), 0u);
}

}  // namespace
}  // namespace assay
