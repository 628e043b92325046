// The device against what every device must do, what it counts, and a kernel verified on it.
#include "counting_device.hpp"

#include <assay/device_conformance.hpp>
#include <assay/gtest.hpp>

namespace assay::device {
namespace {

class CountingUnderTest {
 public:
  Device& device() { return device_; }
  KernelSource kernel(const std::string& function) { return conformance_kernel(function); }

 private:
  CountingDevice device_{make_device(kDefaultDevice, {})};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Counting, DeviceConformance, CountingUnderTest);

TEST(CountingDevice, CountsBytesEachWay) {
  CountingDevice device(make_device(kDefaultDevice, {}));
  const BufferId buffer = device.allocate(64);
  std::vector<std::byte> bytes(48);
  device.upload(buffer, 0, bytes);
  device.download(buffer, 16, std::span(bytes).first(8));
  EXPECT_EQ(device.uploaded_bytes(), 48U);
  EXPECT_EQ(device.downloaded_bytes(), 8U);
  EXPECT_EQ(device.launches(), 0U);
}

TEST(CountingDevice, KernelsAreVerifiedOnIt) {
  const auto kernels = load_manifest(SOURCE_DIR "/kernels.toml");
  EXPECT_TRUE(verify(kernels["dequantize"], {.cases = 60, .device = "counting"}));
}

}  // namespace
}  // namespace assay::device
