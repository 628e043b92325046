// The decorator that takes nothing on trust: a sound device passes as it is, and what one keeps quiet about
// is an error that names it.
#include "assay/device/audited_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/device/faulty_device.hpp"
#include "assay/device_conformance.hpp"
#include "tests/device/memory_device.hpp"

namespace assay::device {
namespace {

using testing::HasSubstr;

struct Audited : testing::Test {
  Audited() {
    memory.add("nothing", [](MemoryLaunch&) {});
  }

  /// Uploads 0, 1, ... 9 to byte 2 of a buffer, launches, downloads them. Returns the error, or nothing.
  std::string error_with(
      FaultPlan plan, MemoryDevice::Kernel kernel = [](MemoryLaunch&) {}) {
    memory.add("kernel", std::move(kernel));
    FaultyDevice faulty(memory, std::move(plan));
    AuditedDevice device(faulty);
    std::vector<std::byte> bytes(10);
    for (int i = 0; i < 10; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
    try {
      const BufferId buffer = device.allocate(16);
      device.upload(buffer, 2, bytes);
      device.dispatch({device.load({"k.metal", "kernel", {}, {}, {}}),
                       {BufferSlice{buffer, 0, 16}},
                       {},
                       {2, 3, 1},
                       false,
                       {32, 1, 1}});
      device.download(buffer, 2, bytes);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "";
  }

  MemoryDevice memory;
};

TEST_F(Audited, ASoundDevicePasses) { EXPECT_EQ(error_with({}), ""); }

TEST_F(Audited, NamesWhatASilentFaultDid) {
  EXPECT_EQ(
      error_with({.faults = {{DeviceFault::upload_cut_short, 1, 7}}}),
      "the upload of 10 bytes at byte 2 of buffer 1 reads back other bytes than were sent: 3 of 10 bytes "
      "differ, the first is byte 7 (0xff instead of 0x07)");
  EXPECT_THAT(error_with({.faults = {{DeviceFault::upload_bit_flipped, 1, 33}}}),
              HasSubstr("one bit of byte 4 is flipped (0x06 instead of 0x04)"));
  EXPECT_EQ(error_with({.faults = {{DeviceFault::dispatch_lost}}}),
            "the device lost a launch: none of its 192 threads ran, and the device reports no fault");
  EXPECT_EQ(error_with({.faults = {{DeviceFault::dispatch_repeated}}}),
            "the device repeated a launch: its 192 threads ran 2 times");
  EXPECT_THAT(error_with({.faults = {{DeviceFault::readback_stale, 1}}}),
              HasSubstr("reads back other bytes"));
  const auto writes = [](MemoryLaunch& launch) { launch.pointer(0)[5] = std::byte{77}; };
  for (const std::size_t download : {2, 3}) {
    EXPECT_THAT(error_with({.faults = {{DeviceFault::readback_stale, download}}}, writes),
                HasSubstr("download of 10 bytes at byte 2 of buffer"));
  }
}

// A driver that stops half-way runs some threadgroups and not others.
TEST_F(Audited, ALaunchThatStoppedHalfWayIsIncomplete) {
  EXPECT_EQ(error_with({}, [](MemoryLaunch& launch) { launch.report.kernel_invocations = 160; }),
            "the device did not finish a launch: 160 of its 192 threads ran");
}

// A launch that was stopped for its own fault is the kernel's matter, as is one on a device that does not
// count.
TEST_F(Audited, ThreadsOfAFaultyLaunchAreNotCounted) {
  EXPECT_EQ(error_with({},
                       [](MemoryLaunch& launch) {
                         launch.report.kernel_invocations = 3;
                         launch.report.faults.push_back({FaultKind::crash, "stopped", {}, {}, 1});
                       }),
            "");
  EXPECT_EQ(error_with({.faults = {{DeviceFault::dispatch_lost}}, .counts_invocations = false}), "");
}

class AuditedMemoryDeviceUnderTest {
 public:
  AuditedMemoryDeviceUnderTest() {
    memory_.add("scale_add", [](MemoryLaunch& launch) {
      auto* data = launch.pointer<std::uint32_t>(0);
      *data = *data * launch.value<std::uint32_t>(1) + launch.value<std::uint32_t>(2);
    });
    memory_.add("fill_positions", [](MemoryLaunch& launch) {
      const std::uint64_t threads = invocations_of(launch.dispatch());
      for (std::uint32_t i = 0; i < threads; ++i) launch.pointer<std::uint32_t>(0)[i] = i + 1;
    });
  }

  Device& device() { return audited_; }
  KernelSource kernel(const std::string& function) { return {"kernels.metal", function, {}, {}, {}}; }

 private:
  MemoryDevice memory_;
  AuditedDevice audited_{memory_};
};

INSTANTIATE_TYPED_TEST_SUITE_P(MemoryAudited, DeviceConformance, AuditedMemoryDeviceUnderTest);

}  // namespace
}  // namespace assay::device
