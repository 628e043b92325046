// What a kernel can see of where its memory lies.
#include "harness/run/test_devices.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace assay::run {
namespace {

const std::string kText =
    "#include <metal_stdlib>\nusing namespace metal;\n"
    "kernel void where(device ulong* out [[buffer(0)]], device uchar* small [[buffer(1)]],\n"
    "                  device uchar* sparse [[buffer(2)]], threadgroup uint* dynamic [[threadgroup(0)]]) {\n"
    "  threadgroup uint fixed[4];\n"
    "  out[0] = ulong(out);\n  out[1] = ulong(small);\n  out[2] = ulong(sparse);\n"
    "  out[3] = ulong(dynamic);\n  out[4] = (ulong)&fixed[0];\n}\n";

// As a kernel sees them on one view, `launches` times: buffers come and go between.
std::vector<std::uint64_t> addresses_on(device::Device& device, int launches) {
  const auto path =
      std::filesystem::temp_directory_path() / ("assay-where-" + std::to_string(getpid()) + ".metal");
  std::ofstream(path) << kText;
  device::Dispatch launch;
  launch.kernel = device.load({path, "where", {}, {}, {}});
  std::filesystem::remove(path);
  launch.threadgroup_bytes = {64};
  launch.threads_per_threadgroup = {1, 1, 1};
  std::vector<std::uint64_t> all;
  for (int i = 0; i < launches; ++i) {
    const auto out = device.allocate(40), small = device.allocate(1000 + static_cast<std::size_t>(i));
    const auto sparse = device.allocate_sparse(std::size_t{3} << 30);
    launch.arguments = {device::BufferSlice{out, 0, 40}, device::BufferSlice{small, 0, 1000},
                        device::BufferSlice{sparse, 0, 4096}};
    EXPECT_TRUE(device.dispatch(launch).faults.empty());
    std::vector<std::uint64_t> seen(5);
    device.download(out, 0, std::as_writable_bytes(std::span(seen)));
    all.insert(all.end(), seen.begin(), seen.end());
    device.release(i % 2 == 0 ? out : small);
    device.release(sparse);
    device.release(i % 2 == 0 ? small : out);
  }
  return all;
}

// Else a text could behave well only where it is watched.
TEST(TestDevices, MemoryHasTheSameAddressesInBothModes) {
  const TestDevices fast(Mode::fast), checked(Mode::checked), regrouped(Mode::reassociated);
  const auto expected = addresses_on(*checked.devices().at(0).device, 3);
  EXPECT_EQ(addresses_on(*fast.devices().at(0).device, 3), expected);
  EXPECT_EQ(addresses_on(*fast.devices().at(1).device, 3), expected);
  EXPECT_EQ(addresses_on(*regrouped.devices().at(0).device, 3), expected);
}

}  // namespace
}  // namespace assay::run
