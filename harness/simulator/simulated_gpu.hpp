// The simulated GPU: the device interface over compute units, in a fast and a checked mode.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/metal/module.hpp"
#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {

class Checker;
class Counters;
struct Counts;

enum class Mode {
  fast,     ///< as fast as the machine allows; several threads
  checked,  ///< every access is checked; one thread, so that reports do not depend on timing
  counted,  ///< every access is counted and none checked; one thread
};

struct Options {
  Mode mode = Mode::fast;
  metal::Numerics numerics = metal::Numerics::strict;  ///< how kernels are compiled
  unsigned threads = 1;  ///< OS threads for fast mode; results do not depend on it
  /// How threadgroups that meet (at atomics, fences, barriers over device memory) are interleaved; 0: each
  /// runs on until it has to wait for another.
  std::uint64_t schedule = 0;
  bool storers = false;  ///< in checked mode: LaunchReport::storers
  device::Limits limits;
  /// How kernels are made of their text, where not by metal::compile().
  std::function<std::shared_ptr<const metal::KernelModule>(const device::KernelSource&)> compile{};
};

class SimulatedGpu final : public device::Device {
 public:
  explicit SimulatedGpu(Options options = {});
  ~SimulatedGpu() override;

  device::Limits limits() const override { return options_.limits; }

  /// Options::schedule for the launches that follow.
  void set_schedule(std::uint64_t schedule) { options_.schedule = schedule; }

  /// Of the last launch, in counted mode. Throws std::logic_error in the others.
  const Counts& counts() const;

  /// What was loaded. Throws DeviceError where the id is none of this device's.
  const metal::KernelModule& module(device::KernelId kernel) const;

  device::KernelId load(const device::KernelSource& source) override;
  device::BufferId allocate(std::size_t size_bytes) override;
  void release(device::BufferId buffer) override;
  void upload(device::BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override;
  void download(device::BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override;
  device::LaunchReport dispatch(const device::Dispatch& launch) override;

 private:
  struct Buffer {
    std::byte* data = nullptr;
    std::size_t size_bytes = 0;
  };
  void run_apart(std::uint64_t count,
                 const std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)>& start);
  Buffer& find(device::BufferId buffer);
  Buffer& find_range(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes);

  Options options_;
  std::vector<std::shared_ptr<const metal::KernelModule>> kernels_;
  std::unordered_map<std::uint32_t, Buffer> buffers_;
  std::uint32_t next_buffer_ = 1;
  std::unique_ptr<Checker> checker_;
  std::unique_ptr<Counters> counters_;
  std::vector<std::unique_ptr<ComputeUnit>> units_;
};

}  // namespace assay::simulator
