// A decorator that takes nothing on trust: what a device or its driver gets wrong without saying so becomes a
// DeviceError, before a kernel is blamed for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/device/decorator.hpp"

namespace assay::device {

/// Uploads are read back, downloads read twice, and the threads of a launch counted where the device counts
/// them. It cannot see a launch that was lost or repeated on a device that does not count, memory that
/// changes by itself between two transfers, what is wrong in the same way each time it is read, nor what
/// becomes of a pattern that is repeated: nobody reads such buffers as a whole.
class AuditedDevice : public DeviceDecorator {
 public:
  using DeviceDecorator::DeviceDecorator;

  /// DeviceError where the bytes do not read back as they were given.
  void upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override;

  /// DeviceError where reading again gives other bytes.
  void download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override;

  /// DeviceError where no thread, or not each thread once, ran of a launch that the device calls clean.
  LaunchReport dispatch(const Dispatch& launch) override;

 private:
  /// How what the device gives now differs from `data`; "" where it does not.
  std::string fault_of(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data);

  std::vector<std::byte> again_;
};

}  // namespace assay::device
