// A device buffer that is released on every path.
#pragma once

#include <cstddef>
#include <utility>

#include "assay/device/device.hpp"

namespace assay::device {

/// Owns one buffer of a device, which must outlive it. Movable, not copyable.
class Buffer {
 public:
  /// Throws DeviceError where the device refuses.
  Buffer(Device& device, std::size_t size_bytes, bool sparse = false)
      : device_(&device),
        id_(sparse ? device.allocate_sparse(size_bytes) : device.allocate(size_bytes)),
        size_bytes_(size_bytes) {}

  Buffer(Buffer&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), id_(other.id_), size_bytes_(other.size_bytes_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(id_, other.id_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }

  ~Buffer() {
    if (device_ == nullptr) return;
    try {
      device_->release(id_);
    } catch (const DeviceError&) {
      // The device is lost, and its buffers with it; whoever uses it next is told so.
    }
  }

  BufferId id() const { return id_; }
  std::size_t size_bytes() const { return size_bytes_; }
  BufferSlice whole() const { return {id_, 0, size_bytes_}; }

 private:
  Device* device_;
  BufferId id_;
  std::size_t size_bytes_;
};

}  // namespace assay::device
