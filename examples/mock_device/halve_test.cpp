// Host code against a mock, which sees every call, and against the simulated GPU, which runs them.
#include "halve.hpp"

#include <gmock/gmock.h>
#include <assay/device.hpp>
#include <assay/mock_device.hpp>

namespace {

using namespace assay::device;
using testing::_;
using testing::Field;
using testing::InSequence;
using testing::Return;
using testing::Throw;

constexpr BufferId kBuffer{7};
constexpr KernelId kKernel{3};

TEST(Halve, UploadsLaunchesDownloadsAndReleases) {
  MockDevice device;
  InSequence in_this_order;
  EXPECT_CALL(device, load(Field(&KernelSource::function, "halve"))).WillOnce(Return(kKernel));
  EXPECT_CALL(device, allocate(40)).WillOnce(Return(kBuffer));
  EXPECT_CALL(device, upload(kBuffer, 0, testing::SizeIs(40)));
  EXPECT_CALL(device, dispatch(testing::AllOf(Field(&Dispatch::kernel, kKernel),
                                              Field(&Dispatch::grid, Size3{10, 1, 1}),
                                              Field(&Dispatch::grid_in_threads, true))));
  EXPECT_CALL(device, download(kBuffer, 0, testing::SizeIs(40)));
  EXPECT_CALL(device, release(kBuffer));
  halve(device, {"halve.metal", "halve", {}, {}, {}}, std::vector<float>(10));
}

TEST(Halve, GivesItsBufferBackWhenTheDeviceFails) {
  MockDevice device;
  EXPECT_CALL(device, load(_)).WillOnce(Return(kKernel));
  EXPECT_CALL(device, allocate(_)).WillOnce(Return(kBuffer));
  EXPECT_CALL(device, upload(_, _, _));
  EXPECT_CALL(device, dispatch(_)).WillOnce(Throw(DeviceError("the device is gone")));
  EXPECT_CALL(device, release(kBuffer));
  EXPECT_THROW(halve(device, {"halve.metal", "halve", {}, {}, {}}, {1.0F}), DeviceError);
}

TEST(Halve, HalvesOnTheSimulatedGpu) {
  const auto device = make_device(kDefaultDevice, {.mode = Mode::checked});
  EXPECT_EQ(halve(*device, {SOURCE_DIR "/halve.metal", "halve", {}, {}, {}}, {1.0F, -3.0F, 0.0F}),
            (std::vector<float>{0.5F, -1.5F, 0.0F}));
}

}  // namespace
