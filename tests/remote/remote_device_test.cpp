// A device whose kernels run in a process of its own, against the conformance suite and beside the same
// device in this process.
#include <gtest/gtest.h>

#include <csignal>

#include "assay/device_conformance.hpp"
#include "harness/device/planned_schedule.hpp"
#include "harness/remote/remote_device.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/simulator/simulated_gpu.hpp"
#include "tests/device/memory_device.hpp"

namespace assay::device {
namespace {

template <simulator::Mode kMode>
class RemoteUnderTest {
 public:
  Device& device() { return remote_; }
  KernelSource kernel(const std::string& function) { return conformance_kernel(function); }

 private:
  simulator::SimulatedGpu gpu_{{.mode = kMode, .limits = {}}};
  remote::RemoteDevice remote_{gpu_};
};

using RemoteFast = RemoteUnderTest<simulator::Mode::fast>;
using RemoteChecked = RemoteUnderTest<simulator::Mode::checked>;
INSTANTIATE_TYPED_TEST_SUITE_P(RemoteFast, DeviceConformance, RemoteFast);
INSTANTIATE_TYPED_TEST_SUITE_P(RemoteChecked, DeviceConformance, RemoteChecked);

// Order of four threadgroups that arrive at a counter, under a plan of the judge's.
std::vector<std::uint32_t> arrivals(Device& device, const KernelSource& source, PlannedSchedule planned) {
  const KernelId kernel = device.load(source);
  const BufferId arrived = device.allocate(4), order = device.allocate(16);
  const std::vector<std::byte> zeros(4);
  device.upload(arrived, 0, zeros);
  device.dispatch({.kernel = kernel,
                   .arguments = {BufferSlice{arrived, 0, 4}, BufferSlice{order, 0, 16}},
                   .threadgroup_bytes = {},
                   .grid = {4, 1, 1},
                   .threads_per_threadgroup = {32, 1, 1},
                   .planned = &planned});
  std::vector<std::uint32_t> all(4);
  device.download(order, 0, std::as_writable_bytes(std::span(all)));
  return all;
}

TEST(RemoteDevice, FollowsPlansThatAreMadeHere) {
  for (const char* text :
       {"one_by_one", "backwards", "lock_step", "ahead:2", "behind:1", "zigzag:1", "2.0.3.1"}) {
    RemoteFast there;
    simulator::SimulatedGpu here({.mode = simulator::Mode::fast, .limits = {}});
    EXPECT_EQ(arrivals(there.device(), there.kernel("arrivals"), schedule_of(text)),
              arrivals(here, conformance_kernel("arrivals"), schedule_of(text)))
        << text;
  }
}

TEST(RemoteDevice, LargeTransfersGoInPieces) {
  RemoteFast under_test;
  Device& device = under_test.device();
  const std::size_t bytes = remote::Window::kAreaBytes + 4097;
  const BufferId buffer = device.allocate(bytes);
  std::vector<std::byte> sent(bytes);
  for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  device.upload(buffer, 0, sent);
  std::vector<std::byte> got(bytes);
  device.download(buffer, 0, got);
  EXPECT_EQ(got, sent);
}

TEST(RemoteDevice, ABufferThatCannotBeHadIsTheDevicesFailureOnce) {
  MemoryDevice memory;
  memory.add("nothing", [](MemoryLaunch&) {});
  memory.has_memory(1000);
  remote::RemoteDevice device(memory);
  const KernelId kernel = device.load(kernel_named("nothing"));
  const BufferId lost = device.allocate(1001);
  EXPECT_THROW(device.dispatch({kernel, {}, {}, {1, 1, 1}, false, {1, 1, 1}}), DeviceError);
  device.release(lost);
  EXPECT_NO_THROW(device.dispatch({kernel, {}, {}, {1, 1, 1}, false, {1, 1, 1}}));
}

// How the process ends in which that kernel runs.
process::Death death_of(MemoryDevice::Kernel kernel) {
  MemoryDevice memory;
  memory.add("hostile", std::move(kernel));
  remote::RemoteDevice device(memory);
  const KernelId id = device.load(kernel_named("hostile"));
  const Dispatch launch{id, {}, {}, {1, 1, 1}, false, {1, 1, 1}};
  try {
    device.dispatch(launch);
  } catch (const process::KernelProcessEnded& ended) {
    return ended.death;
  }
  ADD_FAILURE() << "the process lives";
  return {};
}

TEST(RemoteDevice, AFaultEndsItsProcessAndNoOther) {
  const auto death =
      death_of([](MemoryLaunch&) { *reinterpret_cast<volatile int*>(std::uintptr_t{0x4560}) = 1; });
  EXPECT_EQ(death.signal, SIGSEGV);
  EXPECT_EQ(death.address, 0x4560U);
}

TEST(RemoteDevice, AProcessThatExitsWasEndedByTheKernel) {
  for (const int status : {0, 1, 3}) {
    const auto death = death_of([status](MemoryLaunch&) { _exit(status); });
    EXPECT_EQ(death.describe(), "the kernel ended it, which a kernel must not do") << status;
  }
}

TEST(RemoteDevice, WhatIsWithheldIsNotThere) {
  static volatile int* secret = nullptr;
  const process::SharedMemory memory(4096);
  secret = reinterpret_cast<volatile int*>(memory.data());
  *secret = 42;
  sandbox::withhold(memory.data(), memory.size());
  const auto death = death_of([](MemoryLaunch&) { _exit(*secret); });
  sandbox::restore(memory.data());
  EXPECT_EQ(death.signal, SIGSEGV);
  EXPECT_EQ(*secret, 42);
}

}  // namespace
}  // namespace assay::device
