#include "harness/device/metal_version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::device {
namespace {

TEST(MetalVersion, IsReadAsItIsWritten) {
  for (unsigned major = 1; major <= 9; ++major) {
    for (unsigned minor = 0; minor <= 9; ++minor) {
      const std::string text = std::to_string(major) + "." + std::to_string(minor);
      EXPECT_EQ(metal_version_from(text), 100 * major + 10 * minor) << text;
    }
  }
  for (const char* text :
       {"", "3", "310", "3.", ".1", "0.9", "3.10", "03.1", "3,1", "3.x", "-3.1", " 3.1", "3.1\n", "metal3.1"})
    EXPECT_EQ(metal_version_from(text), std::nullopt) << text;
}

TEST(MetalVersion, IsThatOfTheDefinesOr32) {
  KernelSource source;
  EXPECT_EQ(metal_version_of(source), 320u);
  source.defines["__METAL_VERSION__"] = "410";
  EXPECT_EQ(metal_version_of(source), 410u);
}

}  // namespace
}  // namespace assay::device
