// What decorators of devices are made from: everything goes to the device below, until a decorator says
// otherwise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::device {

class DeviceDecorator : public Device {
 public:
  /// `inner` must outlive this.
  explicit DeviceDecorator(Device& inner) : inner_(inner) {}

  Limits limits() const override { return inner_.limits(); }
  Capabilities capabilities() const override { return inner_.capabilities(); }
  const metal::KernelModule* module(KernelId kernel) const override { return inner_.module(kernel); }
  KernelId load(const KernelSource& source) override { return inner_.load(source); }
  BufferId allocate(std::size_t size_bytes) override { return inner_.allocate(size_bytes); }
  BufferId allocate_sparse(std::size_t size_bytes) override { return inner_.allocate_sparse(size_bytes); }
  void release(BufferId buffer) override { inner_.release(buffer); }
  void upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override {
    inner_.upload(buffer, offset_bytes, data);
  }
  void download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override {
    inner_.download(buffer, offset_bytes, data);
  }
  void gather(BufferId buffer, std::span<const ByteRange> ranges, std::span<std::byte> data) override {
    inner_.gather(buffer, ranges, data);
  }
  void upload_repeated(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                       std::span<const std::byte> pattern) override {
    inner_.upload_repeated(buffer, offset_bytes, size_bytes, pattern);
  }
  void forget(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) override {
    inner_.forget(buffer, offset_bytes, size_bytes);
  }
  std::vector<ByteRange> touched(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) override {
    return inner_.touched(buffer, offset_bytes, size_bytes);
  }
  LaunchReport dispatch(const Dispatch& launch) override { return inner_.dispatch(launch); }

 protected:
  Device& inner() const { return inner_; }

 private:
  Device& inner_;
};

}  // namespace assay::device
