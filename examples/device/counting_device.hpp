// A device of one's own: a decorator that counts what a launch of kernels costs on the way to the device.
#pragma once

#include <assay/device.hpp>

#include <memory>

/// Any device, with its launches and the bytes that go to it and come from it counted.
class CountingDevice final : public assay::device::DeviceDecorator {
 public:
  explicit CountingDevice(std::unique_ptr<Device> inner)
      : DeviceDecorator(*inner), inner_(std::move(inner)) {}

  std::size_t launches() const { return launches_; }
  std::size_t uploaded_bytes() const { return uploaded_bytes_; }
  std::size_t downloaded_bytes() const { return downloaded_bytes_; }

  void upload(assay::device::BufferId buffer, std::size_t offset_bytes,
              std::span<const std::byte> data) override {
    DeviceDecorator::upload(buffer, offset_bytes, data);
    uploaded_bytes_ += data.size();
  }
  void download(assay::device::BufferId buffer, std::size_t offset_bytes,
                std::span<std::byte> data) override {
    DeviceDecorator::download(buffer, offset_bytes, data);
    downloaded_bytes_ += data.size();
  }
  assay::device::LaunchReport dispatch(const assay::device::Dispatch& launch) override {
    ++launches_;
    return DeviceDecorator::dispatch(launch);
  }

 private:
  std::unique_ptr<Device> inner_;
  std::size_t launches_ = 0, uploaded_bytes_ = 0, downloaded_bytes_ = 0;
};
