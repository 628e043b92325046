// A device that does what a test tells it to.
#pragma once

#include <gmock/gmock.h>

#include "assay/device/device.hpp"

namespace assay::device {

class MockDevice : public Device {
 public:
  MOCK_METHOD(Limits, limits, (), (const, override));
  MOCK_METHOD(Capabilities, capabilities, (), (const, override));
  MOCK_METHOD(KernelId, load, (const KernelSource& source), (override));
  MOCK_METHOD(BufferId, allocate, (std::size_t size_bytes), (override));
  MOCK_METHOD(void, release, (BufferId buffer), (override));
  MOCK_METHOD(void, upload, (BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data),
              (override));
  MOCK_METHOD(void, download, (BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data),
              (override));
  MOCK_METHOD(LaunchReport, dispatch, (const Dispatch& launch), (override));
};

}  // namespace assay::device
