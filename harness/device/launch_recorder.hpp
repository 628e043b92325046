// A decorator that shows what every launch is given and what it leaves: the bytes of all its arguments,
// before and after.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/device/device.hpp"

namespace assay::device {

/// What the arguments of one launch hold at one moment.
struct LaunchSnapshot {
  enum class Moment { before, after };

  Moment moment{};
  std::size_t launch = 0;  ///< number of the launch on this device, from 1
  std::string function;    ///< of the kernel
  /// By buffer index: the bytes of a slice or of a value passed by copy; empty where unbound.
  std::vector<std::vector<std::byte>> arguments;
};

using LaunchObserver = std::function<void(const LaunchSnapshot&)>;

class LaunchRecorder : public Device {
 public:
  /// `inner` must outlive this. What the observer throws ends the dispatch.
  LaunchRecorder(Device& inner, LaunchObserver observer) : inner_(inner), observer_(std::move(observer)) {}

  Limits limits() const override { return inner_.limits(); }
  Capabilities capabilities() const override { return inner_.capabilities(); }
  const metal::KernelModule* module(KernelId kernel) const override { return inner_.module(kernel); }
  KernelId load(const KernelSource& source) override;
  BufferId allocate(std::size_t size_bytes) override { return inner_.allocate(size_bytes); }
  void release(BufferId buffer) override { inner_.release(buffer); }
  void upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override {
    inner_.upload(buffer, offset_bytes, data);
  }
  void download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override {
    inner_.download(buffer, offset_bytes, data);
  }

  /// Shows the arguments, launches, and shows them again, whatever faults the report has.
  LaunchReport dispatch(const Dispatch& launch) override;

 private:
  void show(LaunchSnapshot::Moment moment, const Dispatch& launch);

  Device& inner_;
  LaunchObserver observer_;
  std::map<KernelId, std::string> functions_;
  std::size_t launches_ = 0;
};

}  // namespace assay::device
