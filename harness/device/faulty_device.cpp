#include "assay/device/faulty_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace assay::device {
namespace {

void flip(std::byte& byte, std::size_t bit) { byte ^= std::byte{1} << (bit % 8); }

}  // namespace

std::string_view name_of(DeviceFault fault) {
  switch (fault) {
    case DeviceFault::allocation_refused:
      return "allocation refused";
    case DeviceFault::call_refused:
      return "call refused";
    case DeviceFault::device_lost:
      return "device lost";
    case DeviceFault::upload_cut_short:
      return "upload cut short";
    case DeviceFault::upload_bit_flipped:
      return "bit flipped in an upload";
    case DeviceFault::memory_bit_flipped:
      return "bit flipped in memory";
    case DeviceFault::dispatch_lost:
      return "launch lost";
    case DeviceFault::dispatch_repeated:
      return "launch repeated";
    case DeviceFault::readback_stale:
      return "stale readback";
  }
  throw std::invalid_argument("not a fault of a device");
}

const PlannedFault* FaultyDevice::planned(DeviceFault fault, std::size_t call) const {
  const auto found = std::ranges::find_if(
      plan_.faults, [&](const PlannedFault& one) { return one.fault == fault && one.call == call; });
  return found == plan_.faults.end() ? nullptr : &*found;
}

void FaultyDevice::enter(std::string_view call, bool refusable) {
  ++calls_;
  if (lost_) throw DeviceError(fmt::format("{}: the device is lost", call));
  if (const auto* fault = planned(DeviceFault::device_lost, calls_)) lose(*fault, call);
  if (!refusable) return;
  if (const auto* fault = planned(DeviceFault::call_refused, ++refusable_calls_)) {
    struck_.push_back(*fault);
    throw DeviceError(fmt::format("{} refused, call {} of the device", call, fault->call));
  }
}

void FaultyDevice::lose(const PlannedFault& fault, std::string_view call) {
  struck_.push_back(fault);
  lost_ = true;
  for (const auto& [buffer, size_bytes] : sizes_) inner().release(buffer);  // memory goes with the device
  throw DeviceError(fmt::format("{}: device lost at call {}", call, fault.call));
}

KernelId FaultyDevice::load(const KernelSource& source) {
  enter("load of " + source.function);
  return inner().load(source);
}

BufferId FaultyDevice::allocate(std::size_t size_bytes) {
  const std::string call = fmt::format("allocation {} of {} bytes", ++allocations_, size_bytes);
  enter(call);
  if (const auto* fault = planned(DeviceFault::allocation_refused, allocations_)) {
    struck_.push_back(*fault);
    throw DeviceError(call + " refused: out of memory");
  }
  const BufferId buffer = inner().allocate(size_bytes);
  sizes_[buffer] = size_bytes;
  return buffer;
}

void FaultyDevice::release(BufferId buffer) {
  if (!sizes_.contains(buffer)) ++wrong_releases_;
  // The loss of the device gives back what is live, so this buffer is taken off the list behind it.
  struct Forget {
    FaultyDevice& device;
    BufferId buffer;
    ~Forget() {
      device.sizes_.erase(buffer);
      device.remembered_.erase(buffer);
    }
  } forget{*this, buffer};
  enter("release", false);
  inner().release(buffer);
}

void FaultyDevice::remember(BufferId buffer) {
  const bool needed = std::ranges::any_of(
      plan_.faults, [](const PlannedFault& one) { return one.fault == DeviceFault::readback_stale; });
  const auto found = sizes_.find(buffer);
  if (!needed || found == sizes_.end()) return;
  std::vector<std::byte>& bytes = remembered_[buffer];
  bytes.resize(found->second);
  inner().download(buffer, 0, bytes);
}

void FaultyDevice::upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) {
  enter(fmt::format("upload {} of {} bytes", ++uploads_, data.size()));
  remember(buffer);
  std::vector<std::byte> sent(data.begin(), data.end());
  if (const auto* fault = planned(DeviceFault::upload_bit_flipped, uploads_); fault && !sent.empty()) {
    const std::size_t bit = fault->position % (8 * sent.size());
    flip(sent[bit / 8], bit);
    struck_.push_back(*fault);
  }
  if (const auto* fault = planned(DeviceFault::upload_cut_short, uploads_); fault && !sent.empty()) {
    const std::size_t arrived = fault->position % sent.size();
    std::vector<std::byte> there(sent.size());
    inner().download(buffer, offset_bytes, there);
    const bool differs = !std::equal(sent.begin() + static_cast<std::ptrdiff_t>(arrived), sent.end(),
                                     there.begin() + static_cast<std::ptrdiff_t>(arrived));
    if (differs) struck_.push_back(*fault);
    sent.resize(arrived);
  }
  inner().upload(buffer, offset_bytes, sent);
}

void FaultyDevice::download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) {
  enter(fmt::format("download {} of {} bytes", ++downloads_, data.size()));
  inner().download(buffer, offset_bytes, data);
  const auto* fault = planned(DeviceFault::readback_stale, downloads_);
  const auto earlier = remembered_.find(buffer);
  if (fault == nullptr || earlier == remembered_.end()) return;
  const std::span stale = std::span(earlier->second).subspan(offset_bytes, data.size());
  if (!std::ranges::equal(stale, data)) struck_.push_back(*fault);
  std::ranges::copy(stale, data.begin());
}

LaunchReport FaultyDevice::dispatch(const Dispatch& launch) {
  enter(fmt::format("launch {}", ++launches_));
  for (const auto& [buffer, size_bytes] : sizes_) remember(buffer);
  LaunchReport report;
  report.kernel_invocations = 0;
  const auto* lost = planned(DeviceFault::dispatch_lost, launches_);
  const auto* repeated = planned(DeviceFault::dispatch_repeated, launches_);
  if (lost != nullptr) {
    struck_.push_back(*lost);
  } else {
    report = inner().dispatch(launch);
    if (repeated != nullptr) {
      struck_.push_back(*repeated);
      LaunchReport second = inner().dispatch(launch);
      if (report.kernel_invocations && second.kernel_invocations) {
        *report.kernel_invocations += *second.kernel_invocations;
      }
      report.faults.insert(report.faults.end(), second.faults.begin(), second.faults.end());
    }
  }
  if (!plan_.counts_invocations) report.kernel_invocations.reset();
  if (const auto* fault = planned(DeviceFault::memory_bit_flipped, launches_)) flip_bound_bit(launch, *fault);
  return report;
}

void FaultyDevice::flip_bound_bit(const Dispatch& launch, const PlannedFault& fault) {
  std::size_t bits = 0;
  const std::vector<BufferSlice> bound = bound_memory(launch);
  for (const BufferSlice& slice : bound) bits += 8 * slice.size_bytes;
  if (bits == 0) return;
  std::size_t bit = fault.position % bits;
  for (const BufferSlice& slice : bound) {
    if (bit < 8 * slice.size_bytes) {
      std::byte byte;
      const std::size_t at = slice.offset_bytes + bit / 8;
      inner().download(slice.buffer, at, {&byte, 1});
      flip(byte, bit);
      inner().upload(slice.buffer, at, {&byte, 1});
      struck_.push_back(fault);
      return;
    }
    bit -= 8 * slice.size_bytes;
  }
}

}  // namespace assay::device
