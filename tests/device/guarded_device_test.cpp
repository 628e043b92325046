#include "assay/device/guarded_device.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "assay/mock_device.hpp"
#include "tests/device/memory_device.hpp"

namespace assay::device {
namespace {

using testing::_;
using testing::HasSubstr;
using testing::NiceMock;
using testing::Return;
using testing::SizeIs;
using testing::StrictMock;
using testing::Throw;

constexpr std::size_t kGuard = 512;

class Guarded : public testing::Test {
 protected:
  /// Runs `kernel` over one buffer a size, each bound whole.
  LaunchReport launch(MemoryDevice::Kernel kernel, const std::vector<std::size_t>& sizes) {
    memory_.add("kernel", std::move(kernel));
    Dispatch dispatch;
    dispatch.kernel = guarded_.load({"k.metal", "kernel", {}, {}, {}});
    for (const std::size_t size : sizes) {
      buffers_.push_back(guarded_.allocate(size));
      dispatch.arguments.emplace_back(BufferSlice{buffers_.back(), 0, size});
    }
    last_ = dispatch;
    return guarded_.dispatch(dispatch);
  }

  std::vector<std::byte> contents(std::size_t index, std::size_t size) {
    std::vector<std::byte> bytes(size);
    guarded_.download(buffers_.at(index), 0, bytes);
    return bytes;
  }

  MemoryDevice memory_;
  GuardedDevice guarded_{memory_, {.guard_bytes = kGuard}};
  std::vector<BufferId> buffers_;
  Dispatch last_;
};

void flip(std::byte& byte) { byte ^= std::byte{0xFF}; }

/// A number below a million as messages have it.
std::string with_comma(std::ptrdiff_t number) {
  return number < 1000 ? std::to_string(number) : fmt::format("{},{:03}", number / 1000, number % 1000);
}

TEST_F(Guarded, OnePastTheEnd) {
  const LaunchReport report = launch([](MemoryLaunch& l) { flip(l.pointer(1)[10]); }, {20, 10});
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_EQ(report.faults[0].message,
            "the kernel wrote 1 byte past the end of argument 1 (10 bytes), the first at byte 10");
}

TEST_F(Guarded, OneBeforeTheStart) {
  const LaunchReport report = launch([](MemoryLaunch& l) { flip(l.pointer(0)[-1]); }, {20, 10});
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].message,
            "the kernel wrote 1 byte before the start of argument 0 (20 bytes), the first at byte -1");
}

TEST_F(Guarded, LargeNumbersAreInGroupsOfThree) {
  const LaunchReport report = launch(
      [](MemoryLaunch& l) {
        flip(l.pointer(0)[1024]);
        flip(l.pointer(0)[1025]);
      },
      {1024});
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].message,
            "the kernel wrote 2 bytes past the end of argument 0 (1,024 bytes), the first at byte 1,024");
}

TEST_F(Guarded, FarthestBytesOfBothZones) {
  const LaunchReport report = launch(
      [](MemoryLaunch& l) {
        flip(l.pointer(0)[-static_cast<std::ptrdiff_t>(kGuard)]);
        flip(l.pointer(0)[20 + kGuard - 1]);
      },
      {20});
  ASSERT_EQ(report.faults.size(), 2u);
  EXPECT_THAT(report.faults[0].message,
              HasSubstr("before the start of argument 0 (20 bytes), the first at byte -512"));
  EXPECT_THAT(report.faults[1].message,
              HasSubstr("past the end of argument 0 (20 bytes), the first at byte 531"));
}

TEST_F(Guarded, WritesInsideAreNoFault) {
  EXPECT_TRUE(launch([](MemoryLaunch& l) { std::fill_n(l.pointer(0), 20, std::byte{7}); }, {20, 10}).clean());
}

TEST_F(Guarded, GuardIsRepairedForTheNextLaunch) {
  bool stray = true;
  EXPECT_FALSE(launch(
                   [&](MemoryLaunch& l) {
                     if (stray) flip(l.pointer(0)[20]);
                   },
                   {20})
                   .clean());
  stray = false;
  EXPECT_TRUE(guarded_.dispatch(last_).clean());
}

TEST_F(Guarded, FaultsOfTheDeviceItselfAreKept) {
  const LaunchReport report = launch(
      [](MemoryLaunch& l) {
        l.report.faults.push_back({FaultKind::race, "a race", {}, {}, 1});
        flip(l.pointer(0)[20]);
      },
      {20});
  ASSERT_EQ(report.faults.size(), 2u);
  EXPECT_EQ(report.faults[0].kind, FaultKind::race);
}

TEST_F(Guarded, BufferBoundTwiceAndBufferNotBound) {
  const BufferId idle = guarded_.allocate(8);
  memory_.add("stray", [](MemoryLaunch& l) { flip(l.pointer(0)[4]); });
  Dispatch dispatch;
  dispatch.kernel = guarded_.load({"k.metal", "stray", {}, {}, {}});
  const BufferId buffer = guarded_.allocate(4);
  dispatch.arguments = {BufferSlice{buffer, 0, 4}, std::monostate{}, BufferSlice{buffer, 2, 2}};
  EXPECT_THAT(guarded_.dispatch(dispatch).faults.at(0).message,
              HasSubstr("past the end of arguments 0 and 2 (4"));

  // Straight into the other buffer's guard, as a wild pointer would.
  std::vector<std::byte> zeros(kGuard);
  memory_.upload(idle, 0, zeros);
  EXPECT_THAT(guarded_.dispatch(dispatch).faults.at(0).message,
              HasSubstr("which is not bound to this launch"));
}

TEST_F(Guarded, SecondPoisonStartsFromOtherGarbage) {
  GuardedDevice second(memory_, {.guard_bytes = 256, .poison = kSecondPoison});
  std::uint16_t value = 0;
  second.download(second.allocate(6), 2, std::as_writable_bytes(std::span(&value, 1)));
  EXPECT_EQ(value, kSecondPoison);
}

TEST_F(Guarded, LimitsLeaveRoomForTheGuards) {
  EXPECT_EQ(guarded_.limits().buffer_bytes, memory_.limits().buffer_bytes - 2 * kGuard);
}

TEST(GuardedMock, GuardSizeIsAMultipleOf256) {
  NiceMock<MockDevice> mock;
  for (const std::size_t bad : {0, 255, 257}) {
    EXPECT_THROW(GuardedDevice(mock, {.guard_bytes = bad}), std::invalid_argument) << bad;
  }
}

TEST(GuardedMock, OffsetsAreShiftedByOneGuard) {
  StrictMock<MockDevice> mock;
  GuardedDevice guarded(mock, {.guard_bytes = 256});
  EXPECT_CALL(mock, allocate(100 + 512u)).WillOnce(Return(BufferId{5}));
  EXPECT_CALL(mock, upload(BufferId{5}, 0, SizeIs(256)));
  EXPECT_CALL(mock, upload(BufferId{5}, 356, SizeIs(256)));
  EXPECT_CALL(mock, upload(BufferId{5}, 256, SizeIs(100)));
  const BufferId buffer = guarded.allocate(100);

  std::vector<std::byte> bytes(10);
  EXPECT_CALL(mock, upload(BufferId{5}, 256 + 90, SizeIs(10)));
  guarded.upload(buffer, 90, bytes);
  EXPECT_CALL(mock, download(BufferId{5}, 256 + 3, SizeIs(10)));
  guarded.download(buffer, 3, bytes);
  EXPECT_THROW(guarded.upload(buffer, 91, bytes), DeviceError);
  // A slice whose end wraps around; the strict mock sees no launch.
  const Dispatch wrapping{{}, {BufferSlice{buffer, 8, static_cast<std::size_t>(-4)}}, {}, {}, false, {}};
  EXPECT_THROW(guarded.dispatch(wrapping), DeviceError);
}

TEST(GuardedMock, PointersAreShiftedByOneGuardAtBothEnds) {
  NiceMock<MockDevice> mock;
  GuardedDevice guarded(mock, {.guard_bytes = 256});
  EXPECT_CALL(mock, allocate(_)).WillOnce(Return(BufferId{5})).WillOnce(Return(BufferId{6}));
  const BufferId holder = guarded.allocate(16), target = guarded.allocate(100);
  Dispatch launch{{}, {BufferSlice{holder, 0, 16}}, {}, {}, false, {}};
  launch.pointers = {{holder, 8, {target, 20, 80}}};
  EXPECT_CALL(mock, dispatch(_)).WillOnce([](const Dispatch& seen) {
    EXPECT_EQ(seen.pointers.at(0).offset_bytes, 264u);
    EXPECT_EQ(seen.pointers.at(0).target.offset_bytes, 276u);
    EXPECT_EQ(seen.pointers.at(0).target.size_bytes, 80u);
    return LaunchReport{};
  });
  guarded.dispatch(launch);
  launch.pointers[0].offset_bytes = 16;  // which the zone behind the holder has
  EXPECT_THROW(guarded.dispatch(launch), DeviceError);
  launch.pointers[0] = {holder, 8, {target, 20, 81}};
  EXPECT_THROW(guarded.dispatch(launch), DeviceError);
}

TEST(GuardedMock, DeviceThatPoisonsItselfKeepsItsInterior) {
  StrictMock<MockDevice> mock;
  GuardedDevice guarded(mock, {.guard_bytes = 256, .fill_interior = false});
  EXPECT_CALL(mock, allocate(612)).WillOnce(Return(BufferId{5}));
  EXPECT_CALL(mock, upload(BufferId{5}, 0, SizeIs(256)));
  EXPECT_CALL(mock, upload(BufferId{5}, 356, SizeIs(256)));
  guarded.allocate(100);
}

TEST(GuardedMock, BufferGoesBackWhenFillingItFails) {
  StrictMock<MockDevice> mock;
  GuardedDevice guarded(mock);
  EXPECT_CALL(mock, allocate(_)).WillOnce(Return(BufferId{5}));
  EXPECT_CALL(mock, upload(_, _, _)).WillOnce(Throw(DeviceError("lost")));
  EXPECT_CALL(mock, release(BufferId{5}));
  EXPECT_THROW(guarded.allocate(100), DeviceError);
  EXPECT_THROW(guarded.release(BufferId{5}), DeviceError);
}

RC_GTEST_PROP(GuardedProperty, EveryStrayByteIsCountedAndNothingElseIsTouched, ()) {
  const auto sizes =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 700)));
  const auto target = *rc::gen::inRange<std::size_t>(0, sizes.size());
  const auto size = static_cast<std::ptrdiff_t>(sizes[target]);
  const auto guard = static_cast<std::ptrdiff_t>(kGuard);
  // Offsets relative to the buffer: anywhere in the guard before it, in it or in the guard after it.
  auto strays =
      *rc::gen::unique<std::vector<std::ptrdiff_t>>(rc::gen::inRange<std::ptrdiff_t>(-guard, size + guard));

  MemoryDevice memory;
  GuardedDevice guarded(memory, {.guard_bytes = kGuard});
  memory.add("stray", [&](MemoryLaunch& l) {
    for (const std::ptrdiff_t at : strays) flip(l.pointer(target)[at]);
  });
  Dispatch dispatch;
  dispatch.kernel = guarded.load({"k.metal", "stray", {}, {}, {}});
  for (const std::size_t bytes : sizes)
    dispatch.arguments.emplace_back(BufferSlice{guarded.allocate(bytes), 0, bytes});
  const LaunchReport report = guarded.dispatch(dispatch);

  std::sort(strays.begin(), strays.end());
  std::vector<std::string> expected;
  const auto expect = [&](std::ptrdiff_t from, std::ptrdiff_t to, const char* side) {
    const auto first = std::lower_bound(strays.begin(), strays.end(), from);
    const auto count = std::lower_bound(strays.begin(), strays.end(), to) - first;
    if (count == 0) return;
    expected.push_back(fmt::format("the kernel wrote {} {} {} argument {} ({} {}), the first at byte {}{}",
                                   with_comma(count), count == 1 ? "byte" : "bytes", side, target,
                                   with_comma(size), size == 1 ? "byte" : "bytes", *first < 0 ? "-" : "",
                                   with_comma(std::abs(*first))));
  };
  expect(-guard, 0, "before the start of");
  expect(size, size + guard, "past the end of");
  std::vector<std::string> messages;
  for (const Fault& fault : report.faults) messages.push_back(fault.message);
  RC_ASSERT(messages == expected);

  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::vector<std::byte> bytes(sizes[i]);
    guarded.download(std::get<BufferSlice>(dispatch.arguments[i]).buffer, 0, bytes);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      auto byte = static_cast<std::byte>(kPoison >> (8 * (at % 2)));
      if (i == target && std::binary_search(strays.begin(), strays.end(), static_cast<std::ptrdiff_t>(at)))
        flip(byte);
      RC_ASSERT(bytes[at] == byte);
    }
  }
}

}  // namespace
}  // namespace assay::device
