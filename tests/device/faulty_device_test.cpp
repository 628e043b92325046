// The device that goes wrong as planned: each fault does what it says, at its call and at no other.
#include "assay/device/faulty_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/device/memory_device.hpp"

namespace assay::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class Faulty : public testing::Test {
 protected:
  Faulty() {
    memory_.add("increment", [](MemoryLaunch& launch) {
      auto& byte = launch.pointer<std::uint8_t>(0)[0];
      byte = static_cast<std::uint8_t>(byte + 1);
    });
  }

  FaultyDevice device(DeviceFault fault, std::size_t call, std::size_t position = 0) {
    return FaultyDevice(memory_, {.faults = {{fault, call, position}}});
  }

  static std::vector<int> read(Device& device, BufferId buffer) {
    std::vector<std::byte> bytes(4);
    device.download(buffer, 0, bytes);
    std::vector<int> values;
    for (const std::byte byte : bytes) values.push_back(static_cast<int>(byte));
    return values;
  }

  static void write(Device& device, BufferId buffer, int first) {
    std::vector<std::byte> bytes;
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(first + i));
    device.upload(buffer, 0, bytes);
  }

  Dispatch launch(Device& device, BufferId buffer) {
    return {device.load({"k.metal", "increment", {}, {}, {}}),
            {BufferSlice{buffer, 0, 4}},
            {},
            {3, 1, 1},
            false,
            {32, 1, 1}};
  }

  MemoryDevice memory_;
};

TEST_F(Faulty, WithoutAPlanItIsTheDeviceInside) {
  FaultyDevice faulty(memory_, {});
  const BufferId buffer = faulty.allocate(4);
  write(faulty, buffer, 10);
  EXPECT_EQ(faulty.dispatch(launch(faulty, buffer)).kernel_invocations, 96u);
  EXPECT_THAT(read(faulty, buffer), ElementsAre(11, 11, 12, 13));
  EXPECT_EQ(faulty.calls(), 5u);
  faulty.release(buffer);
  EXPECT_THAT(faulty.struck(), IsEmpty());
}

TEST_F(Faulty, AnAllocationIsRefusedAndTheNextIsNot) {
  FaultyDevice faulty = device(DeviceFault::allocation_refused, 2);
  const BufferId first = faulty.allocate(4);
  EXPECT_THAT([&] { faulty.allocate(8); },
              ThrowsMessage<DeviceError>(HasSubstr("allocation 2 of 8 bytes refused: out of memory")));
  faulty.release(faulty.allocate(8));
  EXPECT_EQ(faulty.live_buffers(), 1u);
  faulty.release(first);
  EXPECT_EQ(memory_.live_buffers(), 0u);
}

TEST_F(Faulty, ACallOfAnyKindIsRefusedButNoRelease) {
  FaultyDevice faulty = device(DeviceFault::call_refused, 2);
  faulty.release(faulty.allocate(4));
  EXPECT_THAT([&] { faulty.allocate(4); }, ThrowsMessage<DeviceError>(HasSubstr("refused, call 2")));
  faulty.release(faulty.allocate(4));
}

TEST_F(Faulty, OfAnUploadCutShortAPrefixArrives) {
  FaultyDevice faulty = device(DeviceFault::upload_cut_short, 2, 4 + 3);
  const BufferId buffer = faulty.allocate(4);
  write(faulty, buffer, 10);
  write(faulty, buffer, 20);
  EXPECT_THAT(read(faulty, buffer), ElementsAre(20, 21, 22, 13));
  EXPECT_EQ(faulty.struck().size(), 1u);
}

TEST_F(Faulty, AnUploadOfWhatIsThereIsCutShortWithoutEffect) {
  FaultyDevice faulty = device(DeviceFault::upload_cut_short, 2, 1);
  const BufferId buffer = faulty.allocate(4);
  write(faulty, buffer, 10);
  write(faulty, buffer, 10);
  EXPECT_THAT(faulty.struck(), IsEmpty());
}

TEST_F(Faulty, OneBitTurnsInAnUpload) {
  FaultyDevice faulty = device(DeviceFault::upload_bit_flipped, 1, 32 + 17);
  const BufferId buffer = faulty.allocate(4);
  write(faulty, buffer, 10);
  EXPECT_THAT(read(faulty, buffer), ElementsAre(10, 11, 12 ^ 2, 13));
}

TEST_F(Faulty, OneBitTurnsInMemoryAfterALaunch) {
  FaultyDevice faulty = device(DeviceFault::memory_bit_flipped, 2, 31);
  const BufferId buffer = faulty.allocate(4);
  write(faulty, buffer, 10);
  faulty.dispatch(launch(faulty, buffer));
  EXPECT_THAT(read(faulty, buffer), ElementsAre(11, 11, 12, 13));
  faulty.dispatch(launch(faulty, buffer));
  EXPECT_THAT(read(faulty, buffer), ElementsAre(12, 11, 12, 13 ^ 128));
}

TEST_F(Faulty, ALostLaunchLooksCleanAndRunsNothing) {
  FaultyDevice faulty = device(DeviceFault::dispatch_lost, 2);
  const BufferId buffer = faulty.allocate(4);
  write(faulty, buffer, 10);
  for (int i = 0; i < 3; ++i) {
    const LaunchReport report = faulty.dispatch(launch(faulty, buffer));
    EXPECT_TRUE(report.clean());
    EXPECT_EQ(report.kernel_invocations, i == 1 ? 0u : 96u);
  }
  EXPECT_EQ(read(faulty, buffer)[0], 12);
}

TEST_F(Faulty, ARepeatedLaunchRunsTwice) {
  FaultyDevice faulty = device(DeviceFault::dispatch_repeated, 1);
  const BufferId buffer = faulty.allocate(4);
  write(faulty, buffer, 10);
  EXPECT_EQ(faulty.dispatch(launch(faulty, buffer)).kernel_invocations, 192u);
  EXPECT_EQ(read(faulty, buffer)[0], 12);
}

TEST_F(Faulty, ADeviceThatDoesNotCountSaysNothingOfThreads) {
  for (const DeviceFault fault : {DeviceFault::dispatch_lost, DeviceFault::dispatch_repeated}) {
    FaultyDevice faulty(memory_, {.faults = {{fault}}, .counts_invocations = false});
    const BufferId buffer = faulty.allocate(4);
    EXPECT_EQ(faulty.dispatch(launch(faulty, buffer)).kernel_invocations, std::nullopt);
    faulty.release(buffer);
  }
}

TEST_F(Faulty, AStaleReadbackIsWhatWasThereBeforeTheLastUploadOrLaunch) {
  FaultyDevice faulty(memory_, {.faults = {{DeviceFault::readback_stale, 1},
                                           {DeviceFault::readback_stale, 3},
                                           {DeviceFault::readback_stale, 4}}});
  const BufferId buffer = faulty.allocate(4);
  write(faulty, buffer, 10);
  write(faulty, buffer, 20);
  EXPECT_THAT(read(faulty, buffer), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(read(faulty, buffer), ElementsAre(20, 21, 22, 23));
  faulty.dispatch(launch(faulty, buffer));
  EXPECT_THAT(read(faulty, buffer), ElementsAre(20, 21, 22, 23));
  faulty.dispatch({launch(faulty, buffer).kernel, {BufferSlice{faulty.allocate(4), 0, 4}}, {}, {}, {}, {}});
  EXPECT_EQ(faulty.struck().size(), 2u);
  EXPECT_THAT(read(faulty, buffer), ElementsAre(21, 21, 22, 23));
  EXPECT_EQ(faulty.struck().size(), 2u) << "it was as it is now: nothing is stale";
}

TEST_F(Faulty, ALostDeviceAnswersEveryCallWithAnErrorAndItsMemoryIsGone) {
  FaultyDevice faulty = device(DeviceFault::device_lost, 4);
  const BufferId buffer = faulty.allocate(4), other = faulty.allocate(4);
  write(faulty, buffer, 10);
  EXPECT_THAT([&] { read(faulty, buffer); }, ThrowsMessage<DeviceError>(HasSubstr("device lost at call 4")));
  const auto lost = ThrowsMessage<DeviceError>(HasSubstr("the device is lost"));
  EXPECT_THAT([&] { write(faulty, buffer, 10); }, lost);
  EXPECT_THAT([&] { faulty.allocate(4); }, lost);
  EXPECT_THAT([&] { launch(faulty, buffer); }, lost);
  EXPECT_THAT([&] { faulty.dispatch({}); }, lost);
  EXPECT_EQ(memory_.live_buffers(), 0u);
  EXPECT_EQ(faulty.live_buffers(), 2u) << "whoever holds them still has to let go of them";
  EXPECT_THAT([&] { faulty.release(buffer); }, lost);
  EXPECT_THAT([&] { faulty.release(other); }, lost);
  EXPECT_EQ(faulty.live_buffers(), 0u);
  EXPECT_EQ(faulty.wrong_releases(), 0u);
}

TEST_F(Faulty, BuffersReleasedTwiceAreCounted) {
  FaultyDevice faulty(memory_, {});
  const BufferId buffer = faulty.allocate(4);
  faulty.release(buffer);
  EXPECT_THROW(faulty.release(buffer), DeviceError);
  EXPECT_EQ(faulty.wrong_releases(), 1u);
}

}  // namespace
}  // namespace assay::device
