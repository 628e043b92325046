// The simulated GPU: the device interface over compute units, in a fast and a checked mode.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/device/options.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/simulator/buffers.hpp"
#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {

class BoundLaunch;
class Checker;
class Counters;
class MemoryImage;
class UndefinedResults;

using device::Mode;
using Options = device::DeviceOptions;

class SimulatedGpu final : public device::Device {
 public:
  explicit SimulatedGpu(Options options = {});
  ~SimulatedGpu() override;

  device::Limits limits() const override { return options_.limits; }

  device::Capabilities capabilities() const override;
  const metal::KernelModule* module(device::KernelId kernel) const override;

  device::KernelId load(const device::KernelSource& source) override;
  device::BufferId allocate(std::size_t size_bytes) override;
  device::BufferId allocate_sparse(std::size_t size_bytes) override;
  void release(device::BufferId buffer) override;
  void upload(device::BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override;
  void download(device::BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override;
  void upload_repeated(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                       std::span<const std::byte> pattern) override;
  void forget(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) override;
  std::vector<device::ByteRange> touched(device::BufferId buffer, std::size_t offset_bytes,
                                         std::size_t size_bytes) override;
  device::LaunchReport dispatch(const device::Dispatch& launch) override;

 private:
  /// Begins a threadgroup of a launch, by its number, on a compute unit.
  using Start = std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)>;

  /// Threadgroups that cannot meet run one after the other, on as many OS threads as there are.
  void run_apart(std::uint64_t count, const Start& start);
  /// Threadgroups that can meet are interleaved.
  void run_together(const device::Dispatch& dispatch, Launch& launch, std::uint64_t count,
                    const Start& start);
  device::LaunchReport run(const device::Dispatch& dispatch, BoundLaunch& bound, FaultLog& faults,
                           UndefinedResults& undefined);
  /// Of a launch that found nothing but results that Metal leaves undefined: runs it once more, from the
  /// memory that it found, with other values of theirs. They become faults where anything is otherwise then,
  /// and are forgotten where nothing is. Memory becomes what it was.
  void try_other_results(const device::Dispatch& dispatch, BoundLaunch& bound, const MemoryImage& before,
                         device::LaunchReport& report);
  void begin_records(const BoundLaunch& bound);
  void end_records(const BoundLaunch& bound, device::LaunchReport& report);

  Options options_;
  std::vector<std::shared_ptr<const metal::KernelModule>> kernels_;
  std::unique_ptr<Checker> checker_;
  std::unique_ptr<Counters> counters_;
  Buffers buffers_;
  std::vector<std::unique_ptr<ComputeUnit>> units_;
};

}  // namespace assay::simulator
