// The in-memory device, plain and guarded, against the conformance suite.
#include "tests/device/memory_device.hpp"

#include "assay/device/guarded_device.hpp"
#include "assay/device_conformance.hpp"

namespace assay::device {
namespace {

class MemoryDeviceUnderTest {
 public:
  MemoryDeviceUnderTest() {
    device_.add("scale_add", [](MemoryLaunch& launch) {
      auto* data = launch.pointer<std::uint32_t>(0);
      *data = *data * launch.value<std::uint32_t>(1) + launch.value<std::uint32_t>(2);
    });
    device_.add("fill_positions", [](MemoryLaunch& launch) {
      const Dispatch& d = launch.dispatch();
      const std::uint32_t threads = d.grid_in_threads ? d.grid.x : d.grid.x * d.threads_per_threadgroup.x;
      for (std::uint32_t i = 0; i < threads; ++i) launch.pointer<std::uint32_t>(0)[i] = i + 1;
    });
  }

  Device& device() { return device_; }
  KernelSource kernel(const std::string& function) { return {"kernels.metal", function, {}, {}, {}}; }

 private:
  MemoryDevice device_;
};

class GuardedMemoryDeviceUnderTest {
 public:
  Device& device() { return guarded_; }
  KernelSource kernel(const std::string& function) { return memory_.kernel(function); }

 private:
  MemoryDeviceUnderTest memory_;
  GuardedDevice guarded_{memory_.device()};
};

class TwiceGuardedMemoryDeviceUnderTest {
 public:
  Device& device() { return guarded_; }
  KernelSource kernel(const std::string& function) { return inner_.kernel(function); }

 private:
  GuardedMemoryDeviceUnderTest inner_;
  GuardedDevice guarded_{inner_.device(), {.guard_bytes = 256}};
};

using MemoryDevices =
    testing::Types<MemoryDeviceUnderTest, GuardedMemoryDeviceUnderTest, TwiceGuardedMemoryDeviceUnderTest>;
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, DeviceConformance, MemoryDevices);

}  // namespace
}  // namespace assay::device
