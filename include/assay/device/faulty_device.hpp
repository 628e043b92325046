// A decorator that goes wrong as planned, in the ways in which devices and their drivers do: to see that each
// is noticed, and that nothing leaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/device/decorator.hpp"

namespace assay::device {

enum class DeviceFault {
  allocation_refused,  ///< n-th allocation: DeviceError
  call_refused,        ///< n-th call of any kind but a release: DeviceError, and nothing happens
  device_lost,         ///< n-th call of any kind: DeviceError, also from every later call; buffers are gone
  // Silent ones:
  upload_cut_short,    ///< n-th upload: only a prefix arrives
  upload_bit_flipped,  ///< n-th upload: arrives with one bit turned
  memory_bit_flipped,  ///< after the n-th launch, one bit turns in what was bound to it
  dispatch_lost,       ///< n-th launch: nothing runs, the report is clean
  dispatch_repeated,   ///< n-th launch: runs twice
  readback_stale,      ///< n-th download: what the buffer held before its last upload, or the last launch
};

/// "allocation refused", "upload cut short", ...
std::string_view name_of(DeviceFault fault);

struct PlannedFault {
  DeviceFault fault{};
  std::size_t call = 1;  ///< n of the calls that the fault is one of, from 1
  /// Bytes that arrive of an upload cut short, the bit that turns of a flipped one; modulo what there is.
  std::size_t position = 0;

  bool operator==(const PlannedFault&) const = default;
};

struct FaultPlan {
  std::vector<PlannedFault> faults;
  /// Reports say how many threads ran, as those of the device inside do. Off: they do not, and a lost or
  /// repeated launch leaves no trace there.
  bool counts_invocations = true;
};

class FaultyDevice : public DeviceDecorator {
 public:
  /// `inner` must outlive this.
  FaultyDevice(Device& inner, FaultPlan plan) : DeviceDecorator(inner), plan_(std::move(plan)) {}

  KernelId load(const KernelSource& source) override;
  BufferId allocate(std::size_t size_bytes) override;
  void release(BufferId buffer) override;
  void upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override;
  void download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override;
  LaunchReport dispatch(const Dispatch& launch) override;
  // By the calls above, so that faults strike them too: not those of `inner`, which DeviceDecorator takes.
  // NOLINTBEGIN(bugprone-parent-virtual-call)
  BufferId allocate_sparse(std::size_t size_bytes) override { return allocate(size_bytes); }
  void gather(BufferId buffer, std::span<const ByteRange> ranges, std::span<std::byte> data) override {
    Device::gather(buffer, ranges, data);
  }
  void upload_repeated(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                       std::span<const std::byte> pattern) override {
    Device::upload_repeated(buffer, offset_bytes, size_bytes, pattern);
  }
  void forget(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) override {
    Device::forget(buffer, offset_bytes, size_bytes);
  }
  std::vector<ByteRange> touched(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) override {
    return Device::touched(buffer, offset_bytes, size_bytes);
  }
  // NOLINTEND(bugprone-parent-virtual-call)

  /// The planned faults that came about: their call was made, and a silent one made a difference to what
  /// memory holds, what runs or what is read.
  const std::vector<PlannedFault>& struck() const { return struck_; }

  /// Calls so far, of any kind; limits() is none.
  std::size_t calls() const { return calls_; }

  /// Allocated and not released. A release counts also where the lost device answers it with an error.
  std::size_t live_buffers() const { return sizes_.size(); }

  /// Releases of what was released before or never allocated.
  std::size_t wrong_releases() const { return wrong_releases_; }

 private:
  /// Counts a call of any kind; throws where it is refused or the device lost.
  void enter(std::string_view call, bool refusable = true);
  /// The fault planned for this call, if any.
  const PlannedFault* planned(DeviceFault fault, std::size_t call) const;
  void lose(const PlannedFault& fault, std::string_view call);
  void remember(BufferId buffer);
  void flip_bound_bit(const Dispatch& launch, const PlannedFault& fault);

  FaultPlan plan_;
  std::vector<PlannedFault> struck_;
  std::size_t calls_ = 0, refusable_calls_ = 0;
  std::size_t allocations_ = 0, uploads_ = 0, downloads_ = 0, launches_ = 0;
  std::size_t wrong_releases_ = 0;
  bool lost_ = false;
  std::map<BufferId, std::size_t> sizes_;                  // of live buffers
  std::map<BufferId, std::vector<std::byte>> remembered_;  // earlier contents, where a plan reads them
};

}  // namespace assay::device
