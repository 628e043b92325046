// The decorator that shows launches: what the arguments hold before and after, and that it changes nothing.
#include "assay/device/launch_recorder.hpp"

#include <gtest/gtest.h>

#include "tests/device/memory_device.hpp"

namespace assay::device {
namespace {

using Moment = LaunchSnapshot::Moment;

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}

TEST(LaunchRecorder, ShowsSlicesAndValuesBeforeAndAfterEachLaunch) {
  MemoryDevice memory;
  memory.add("increment", [](MemoryLaunch& launch) {
    for (std::size_t i = 0; i < launch.size_bytes(0); ++i) {
      auto& byte = launch.pointer<std::uint8_t>(0)[i];
      byte = static_cast<std::uint8_t>(byte + launch.value<std::uint8_t>(2));
    }
    launch.report.faults.push_back({FaultKind::race, "a race", {}, {}, 1});
  });
  std::vector<LaunchSnapshot> seen;
  LaunchRecorder device(memory, [&](const LaunchSnapshot& snapshot) { seen.push_back(snapshot); });
  const KernelId kernel = device.load({"k.metal", "increment", {}, {}, {}});
  const BufferId buffer = device.allocate(4);
  device.upload(buffer, 0, bytes({1, 2, 3, 4}));
  Dispatch launch;
  launch.kernel = kernel;
  launch.arguments = {BufferSlice{buffer, 1, 2}, std::monostate{}, InlineBytes{bytes({10})}};
  EXPECT_EQ(device.dispatch(launch).faults.size(), 1u) << "the report passes through";
  device.dispatch(launch);

  ASSERT_EQ(seen.size(), 4u);
  const std::vector<std::vector<std::byte>> contents = {bytes({2, 3}), bytes({12, 13}), bytes({12, 13}),
                                                        bytes({22, 23})};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(seen[i].moment, i % 2 == 0 ? Moment::before : Moment::after);
    EXPECT_EQ(seen[i].launch, i / 2 + 1);
    EXPECT_EQ(seen[i].function, "increment");
    ASSERT_EQ(seen[i].arguments.size(), 3u);
    EXPECT_EQ(seen[i].arguments[0], contents[i]);
    EXPECT_TRUE(seen[i].arguments[1].empty());
    EXPECT_EQ(seen[i].arguments[2], bytes({10}));
  }
  std::vector<std::byte> left(4);
  device.download(buffer, 0, left);
  EXPECT_EQ(left, bytes({1, 22, 23, 4}));
  device.release(buffer);
  EXPECT_EQ(memory.live_buffers(), 0u);
}

}  // namespace
}  // namespace assay::device
