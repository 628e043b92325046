// A decorator that shows what every launch is given and what it leaves: the bytes of all its arguments,
// before and after.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "assay/device/decorator.hpp"

namespace assay::device {

/// What the arguments of one launch hold at one moment.
struct LaunchSnapshot {
  enum class Moment { before, after };

  Moment moment{};
  std::size_t launch = 0;  ///< number of the launch on this device, from 1
  std::string function;    ///< of the kernel
  /// By buffer index: the bytes of a slice, of a very large one only the first 64 MiB, or of a value passed
  /// by copy; empty where unbound.
  std::vector<std::vector<std::byte>> arguments;
  /// By texture index: the bytes of its texels, of a very large one the first; empty where unbound.
  std::vector<std::vector<std::byte>> textures = {};
  /// By place in Dispatch::pointers: the bytes of what it leads to, likewise.
  std::vector<std::vector<std::byte>> pointers = {};
};

using LaunchObserver = std::function<void(const LaunchSnapshot&)>;

class LaunchRecorder : public DeviceDecorator {
 public:
  /// `inner` must outlive this. What the observer throws ends the dispatch.
  LaunchRecorder(Device& inner, LaunchObserver observer)
      : DeviceDecorator(inner), observer_(std::move(observer)) {}

  KernelId load(const KernelSource& source) override;

  /// Shows the arguments, launches, and shows them again, whatever faults the report has.
  LaunchReport dispatch(const Dispatch& launch) override;

 private:
  void show(LaunchSnapshot::Moment moment, const Dispatch& launch);

  LaunchObserver observer_;
  std::map<KernelId, std::string> functions_;
  std::size_t launches_ = 0;
};

}  // namespace assay::device
