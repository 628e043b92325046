// The simulated GPU: the device interface over compute units, in a fast and a checked mode.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/device/options.hpp"
#include "harness/metal/module.hpp"
#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {

class Checker;
class Counters;
struct NamedRange;

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
  struct Buffer {
    std::byte* data = nullptr;
    std::size_t size_bytes = 0;
  };
  void run_apart(std::uint64_t count,
                 const std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)>& start);
  device::BufferId add(std::byte* data, std::size_t size_bytes);
  void give_back(const Buffer& buffer);
  Buffer& find(device::BufferId buffer);
  /// Binds Dispatch::textures and samplers; says of each texture, by index, where it lies. Throws DeviceError
  /// where one does not fit, or is missing.
  void bind_textures(const device::Dispatch& dispatch, const metal::KernelModule& module, Launch& launch,
                     std::vector<NamedRange>& by_index);
  /// Writes Dispatch::pointers; says of each where what it leads to lies. Throws DeviceError, and has written
  /// nothing then, where one is not within its holder, or leads outside of its target's buffer.
  std::vector<NamedRange> write_pointers(const device::Dispatch& dispatch, const metal::KernelModule& module);
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
