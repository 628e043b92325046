// A decorator that takes nothing on trust: what a device or its driver gets wrong without saying so becomes a
// DeviceError, before a kernel is blamed for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/device/device.hpp"

namespace assay::device {

/// Uploads are read back, downloads read twice, and the threads of a launch counted where the device counts
/// them. It cannot see a launch that was lost or repeated on a device that does not count, memory that
/// changes by itself between two transfers, nor what is wrong in the same way each time it is read.
class AuditedDevice : public Device {
 public:
  /// `inner` must outlive this.
  explicit AuditedDevice(Device& inner) : inner_(inner) {}

  Limits limits() const override { return inner_.limits(); }
  Capabilities capabilities() const override { return inner_.capabilities(); }
  const metal::KernelModule* module(KernelId kernel) const override { return inner_.module(kernel); }
  KernelId load(const KernelSource& source) override { return inner_.load(source); }
  BufferId allocate(std::size_t size_bytes) override { return inner_.allocate(size_bytes); }
  void release(BufferId buffer) override { inner_.release(buffer); }

  /// DeviceError where the bytes do not read back as they were given.
  void upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override;

  /// DeviceError where reading again gives other bytes.
  void download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override;

  /// DeviceError where no thread, or not each thread once, ran of a launch that the device calls clean.
  LaunchReport dispatch(const Dispatch& launch) override;

 private:
  Device& inner_;
  std::vector<std::byte> again_;
};

}  // namespace assay::device
