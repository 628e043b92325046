#include "assay/device/guarded_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

#include "harness/device/bytes.hpp"
#include "harness/device/grouped.hpp"

namespace assay::device {
namespace {

// Neighbouring bytes differ, and so do bytes a power of two apart: a stray copy of one part of a zone to
// another shows. The two zones use different seeds.
std::vector<std::byte> pattern(std::size_t size_bytes, std::uint32_t seed) {
  std::vector<std::byte> bytes(size_bytes);
  for (std::size_t i = 0; i < size_bytes; ++i) {
    std::uint32_t x = (static_cast<std::uint32_t>(i) + seed) * 0x9E3779B1u;
    x ^= x >> 15;
    x *= 0x85EBCA77u;
    bytes[i] = static_cast<std::byte>(x >> 24);
  }
  return bytes;
}

std::uint32_t number(BufferId buffer) { return static_cast<std::uint32_t>(buffer); }

/// "argument 3", "arguments 3 and 5", "texture 0", or a buffer that the launch did not bind.
std::string owner(BufferId buffer, const Dispatch& launch) {
  std::string indices;
  int count = 0;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto* slice = std::get_if<BufferSlice>(&launch.arguments[i]);
    if (slice == nullptr || slice->buffer != buffer) continue;
    indices += (count++ == 0 ? "" : " and ") + std::to_string(i);
  }
  for (std::size_t i = 0; count == 0 && i < launch.textures.size(); ++i) {
    if (launch.textures[i] && launch.textures[i]->memory.buffer == buffer)
      return fmt::format("texture {}", i);
  }
  for (std::size_t i = 0; count == 0 && i < launch.pointers.size(); ++i) {
    if (launch.pointers[i].target.buffer == buffer) return fmt::format("what pointer {} leads to", i);
  }
  if (count == 0) return fmt::format("buffer {}, which is not bound to this launch", number(buffer));
  return (count == 1 ? "argument " : "arguments ") + indices;
}

}  // namespace

GuardedDevice::GuardedDevice(Device& inner, GuardOptions options)
    : DeviceDecorator(inner),
      options_(options),
      before_(pattern(options.guard_bytes, 1)),
      after_(pattern(options.guard_bytes, 0x80000001u)),
      scratch_(options.guard_bytes) {
  if (options.guard_bytes == 0 || options.guard_bytes % 256 != 0) {
    throw std::invalid_argument(
        fmt::format("guard_bytes is {}; write a positive multiple of 256", options.guard_bytes));
  }
}

Limits GuardedDevice::limits() const {
  Limits limits = inner().limits();
  const std::size_t guards = 2 * options_.guard_bytes;
  limits.buffer_bytes = limits.buffer_bytes > guards ? limits.buffer_bytes - guards : 0;
  return limits;
}

BufferId GuardedDevice::allocate(std::size_t size_bytes) { return guarded(size_bytes, false); }

BufferId GuardedDevice::allocate_sparse(std::size_t size_bytes) { return guarded(size_bytes, true); }

BufferId GuardedDevice::guarded(std::size_t size_bytes, bool sparse) {
  const std::size_t guard = options_.guard_bytes;
  if (size_bytes > std::numeric_limits<std::size_t>::max() - 2 * guard) {
    throw DeviceError(
        fmt::format("a buffer of {} leaves no room for its guard zones", counted(size_bytes, "byte")));
  }
  const BufferId buffer =
      sparse ? inner().allocate_sparse(size_bytes + 2 * guard) : inner().allocate(size_bytes + 2 * guard);
  try {
    inner().upload(buffer, zone_offset(Side::before, size_bytes), before_);
    inner().upload(buffer, zone_offset(Side::after, size_bytes), after_);
    if (options_.fill_interior && !sparse) poison(buffer, guard, 0, size_bytes);
    sizes_[buffer] = size_bytes;
  } catch (...) {
    try {
      inner().release(buffer);
    } catch (const DeviceError&) {
      // The first failure is the one to report.
    }
    throw;
  }
  return buffer;
}

void GuardedDevice::release(BufferId buffer) {
  size_of(buffer);
  sizes_.erase(buffer);
  inner().release(buffer);
}

void GuardedDevice::upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) {
  inner().upload(buffer, checked_offset(buffer, offset_bytes, data.size(), "upload"), data);
}

void GuardedDevice::download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) {
  inner().download(buffer, checked_offset(buffer, offset_bytes, data.size(), "download"), data);
}

void GuardedDevice::gather(BufferId buffer, std::span<const ByteRange> ranges, std::span<std::byte> data) {
  std::vector<ByteRange> inside;
  for (const auto& [begin, end] : ranges) {
    const std::size_t first = checked_offset(buffer, begin, end - begin, "download");
    inside.push_back({first, first + (end - begin)});
  }
  inner().gather(buffer, inside, data);
}

void GuardedDevice::upload_repeated(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                                    std::span<const std::byte> pattern) {
  inner().upload_repeated(buffer, checked_offset(buffer, offset_bytes, size_bytes, "upload"), size_bytes,
                          pattern);
}

void GuardedDevice::forget(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  const std::size_t inside = checked_offset(buffer, offset_bytes, size_bytes, "range");
  if (options_.fill_interior) {
    poison(buffer, inside, offset_bytes, size_bytes);
  } else {
    inner().forget(buffer, inside, size_bytes);
  }
}

std::vector<ByteRange> GuardedDevice::touched(BufferId buffer, std::size_t offset_bytes,
                                              std::size_t size_bytes) {
  const std::size_t inside = checked_offset(buffer, offset_bytes, size_bytes, "range");
  std::vector<ByteRange> ranges = inner().touched(buffer, inside, size_bytes);
  for (ByteRange& range : ranges) {
    range.begin -= options_.guard_bytes;
    range.end -= options_.guard_bytes;
  }
  return ranges;
}

void GuardedDevice::poison(BufferId buffer, std::size_t inside, std::size_t offset_bytes,
                           std::size_t size_bytes) {
  static_assert(kPieceBytes % 2 == 0, "so that pieces are alike");
  std::vector<std::byte> bytes(std::min(size_bytes, kPieceBytes));
  fill_poison(bytes, options_.poison, offset_bytes);
  for (std::size_t done = 0; done < size_bytes; done += kPieceBytes) {
    const std::size_t left = std::min(kPieceBytes, size_bytes - done);
    inner().upload(buffer, inside + done, std::span(bytes).first(left));
  }
}

LaunchReport GuardedDevice::dispatch(const Dispatch& launch) {
  Dispatch shifted = launch;
  for (std::size_t i = 0; i < shifted.arguments.size(); ++i) {
    auto* slice = std::get_if<BufferSlice>(&shifted.arguments[i]);
    if (slice == nullptr) continue;
    const std::string what = fmt::format("argument {}: slice", i);
    slice->offset_bytes = checked_offset(slice->buffer, slice->offset_bytes, slice->size_bytes, what.c_str());
  }
  for (auto& texture : shifted.textures) {
    if (!texture) continue;
    auto& memory = texture->memory;
    memory.offset_bytes =
        checked_offset(memory.buffer, memory.offset_bytes, memory.size_bytes, "a texture: slice");
  }
  for (BufferPointer& pointer : shifted.pointers) {
    auto& [buffer, offset_bytes, size_bytes] = pointer.target;
    offset_bytes = checked_offset(buffer, offset_bytes, size_bytes, "what a pointer leads to: slice");
    pointer.offset_bytes =
        checked_offset(pointer.holder, pointer.offset_bytes, kPointerBytes, "a pointer: slice");
  }
  LaunchReport report = inner().dispatch(shifted);
  for (const auto& [buffer, size_bytes] : sizes_) {
    check(buffer, size_bytes, Side::before, launch, report);
    check(buffer, size_bytes, Side::after, launch, report);
  }
  return report;
}

std::size_t GuardedDevice::size_of(BufferId buffer) const {
  const auto found = sizes_.find(buffer);
  if (found == sizes_.end())
    throw DeviceError(
        fmt::format("there is no buffer {}: it was released, or belongs to another device", number(buffer)));
  return found->second;
}

std::size_t GuardedDevice::checked_offset(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                                          const char* what) const {
  const std::size_t whole = size_of(buffer);
  if (offset_bytes > whole || size_bytes > whole - offset_bytes) {
    throw DeviceError(fmt::format("{} of {} at byte {} reaches outside buffer {}, which has {}", what,
                                  counted(size_bytes, "byte"), grouped(offset_bytes), number(buffer),
                                  counted(whole, "byte")));
  }
  return offset_bytes + options_.guard_bytes;
}

std::size_t GuardedDevice::zone_offset(Side side, std::size_t size_bytes) const {
  return side == Side::before ? 0 : options_.guard_bytes + size_bytes;
}

void GuardedDevice::check(BufferId buffer, std::size_t size_bytes, Side side, const Dispatch& launch,
                          LaunchReport& report) {
  const std::vector<std::byte>& intact = side == Side::before ? before_ : after_;
  inner().download(buffer, zone_offset(side, size_bytes), scratch_);
  if (scratch_ == intact) return;
  std::size_t changed = 0, first = 0;
  for (std::size_t i = 0; i < intact.size(); ++i) {
    if (scratch_[i] == intact[i]) continue;
    if (changed++ == 0) first = i;
  }
  // Counted from the buffer's first byte, so negative in the zone before it.
  const auto offset = static_cast<std::int64_t>(zone_offset(side, size_bytes) + first) -
                      static_cast<std::int64_t>(options_.guard_bytes);
  report.faults.push_back(
      {FaultKind::out_of_bounds,
       fmt::format("the kernel wrote {} {} {} ({}), the first at byte {}{}", counted(changed, "byte"),
                   side == Side::before ? "before the start of" : "past the end of", owner(buffer, launch),
                   counted(size_bytes, "byte"), offset < 0 ? "-" : "",
                   grouped(static_cast<std::uint64_t>(std::abs(offset)))),
       {},
       {},
       1});
  inner().upload(buffer, zone_offset(side, size_bytes), intact);
}

}  // namespace assay::device
