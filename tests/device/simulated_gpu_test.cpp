// The simulated GPU, in both modes and behind guards, against the conformance suite.
#include "harness/simulator/simulated_gpu.hpp"
#include "assay/device/guarded_device.hpp"
#include "assay/device_conformance.hpp"

namespace assay::device {
namespace {

template <simulator::Mode kMode, unsigned kThreads>
class SimulatedUnderTest {
 public:
  Device& device() { return gpu_; }
  KernelSource kernel(const std::string& function) { return conformance_kernel(function); }

 private:
  simulator::SimulatedGpu gpu_{{.mode = kMode, .threads = kThreads, .limits = {}}};
};

class GuardedSimulatedUnderTest {
 public:
  Device& device() { return guarded_; }
  KernelSource kernel(const std::string& function) { return gpu_.kernel(function); }

 private:
  SimulatedUnderTest<simulator::Mode::fast, 1> gpu_;
  GuardedDevice guarded_{gpu_.device()};
};

using FastOnOneThread = SimulatedUnderTest<simulator::Mode::fast, 1>;
using FastOnThreeThreads = SimulatedUnderTest<simulator::Mode::fast, 3>;
using Checked = SimulatedUnderTest<simulator::Mode::checked, 1>;

INSTANTIATE_TYPED_TEST_SUITE_P(SimulatedFast, DeviceConformance, FastOnOneThread);
INSTANTIATE_TYPED_TEST_SUITE_P(SimulatedFastThreaded, DeviceConformance, FastOnThreeThreads);
INSTANTIATE_TYPED_TEST_SUITE_P(SimulatedChecked, DeviceConformance, Checked);
INSTANTIATE_TYPED_TEST_SUITE_P(SimulatedGuarded, DeviceConformance, GuardedSimulatedUnderTest);

TEST(SimulatedGpu, CountsTheThreadsOfEachLaunch) {
  Checked gpu;
  const KernelId kernel = gpu.device().load(gpu.kernel("fill_positions"));
  const BufferId buffer = gpu.device().allocate(4 * 64);
  for (const std::uint32_t threads : {1, 33, 64}) {
    const LaunchReport report = gpu.device().dispatch(
        {kernel, {BufferSlice{buffer, 0, 4 * 64}}, {}, {threads, 1, 1}, true, {32, 1, 1}});
    EXPECT_EQ(report.kernel_invocations, threads);
  }
}

}  // namespace
}  // namespace assay::device
