#include "harness/simulator/address_space.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "harness/device/device.hpp"

namespace assay::simulator {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

[[noreturn]] void fail(const char* what) {
  throw device::DeviceError(fmt::format("simulated memory: {}: {}", what, strerror(errno)));
}

// Reserved memory is not accounted for, as long as it cannot be written.
void reserve(std::uintptr_t base, std::size_t size, int protection) {
  void* got = mmap(at(base), size, protection,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) fail("cannot reserve addresses");
  if (got != at(base)) {
    munmap(got, size);
    errno = EEXIST;
    fail("cannot reserve addresses");
  }
}

void back(std::uintptr_t address, std::size_t size) {
  const auto begin = address / kPage * kPage;
  const auto end = round_up(address + size, kPage);
  if (mprotect(at(begin), end - begin, PROT_READ | PROT_WRITE) != 0)
    fail("cannot back addresses with memory");
}

void unback(std::uintptr_t address, std::size_t size, int protection) {
  const auto begin = address / kPage * kPage;
  const auto end = round_up(address + size, kPage);
  madvise(at(begin), end - begin, MADV_DONTNEED);
  mprotect(at(begin), end - begin, protection);
}

std::uintptr_t shadow_address(std::uintptr_t address, std::size_t unit_bytes) {
  return kShadowBase + (address - kBase) / unit_bytes * kRecordBytes;
}

// Buffers begin at different cache sets: slots are a power of two apart, which would put them all in one.
std::uintptr_t slot_address(std::uint32_t slot) {
  return kBase + slot * kSlotPitch + kSlotGap + std::size_t{slot} % 61 * 4352;
}

}  // namespace

AddressSpace& AddressSpace::instance() {
  static AddressSpace* space = new AddressSpace;  // never torn down: kernels may outlive static destructors
  return *space;
}

AddressSpace::AddressSpace() {
  reserve(kBase, kSpan, PROT_NONE);
  // At most one record a byte. Those of addresses where nothing lies read as zero: kUnallocated.
  reserve(kShadowBase, kSpan * kRecordBytes, PROT_READ);
  for (std::uint32_t i = kSlots; i-- > 0;) free_slots_.push_back(i);
  for (std::uint32_t i = kWindows; i-- > 0;) free_windows_.push_back(i);
}

std::byte* AddressSpace::allocate(std::size_t size_bytes) {
  if (size_bytes > kLargestBuffer) {
    throw device::DeviceError(fmt::format("a buffer of {} bytes is larger than the simulated limit of {}",
                                          size_bytes, kLargestBuffer));
  }
  const std::lock_guard lock(mutex_);
  if (free_slots_.empty()) throw device::DeviceError(fmt::format("more than {} buffers are alive", kSlots));
  const auto slot = free_slots_.back();
  back(slot_address(slot), size_bytes);
  free_slots_.pop_back();
  return static_cast<std::byte*>(at(slot_address(slot)));
}

void AddressSpace::release(std::byte* buffer, std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(buffer);
  unback(address, size_bytes, PROT_NONE);
  free_slots_.push_back(static_cast<std::uint32_t>((address - kBase) / kSlotPitch));
}

std::byte* AddressSpace::acquire_window() {
  const std::lock_guard lock(mutex_);
  if (free_windows_.empty()) throw device::DeviceError("no window of threadgroup memory is free");
  const auto window = free_windows_.back();
  const auto address = kThreadgroupBase + window * kWindowBytes;
  back(address, kWindowBytes);
  free_windows_.pop_back();
  return static_cast<std::byte*>(at(address));
}

void AddressSpace::release_window(std::byte* window) {
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(window);
  unback(address, kWindowBytes, PROT_NONE);
  free_windows_.push_back(static_cast<std::uint32_t>((address - kThreadgroupBase) / kWindowBytes));
}

void AddressSpace::back_shadow(std::uintptr_t address, std::size_t size_bytes, std::size_t unit_bytes) {
  back(shadow_address(address, unit_bytes), (size_bytes / unit_bytes + 1) * kRecordBytes);
}

void AddressSpace::drop_shadow(std::uintptr_t address, std::size_t size_bytes, std::size_t unit_bytes) {
  unback(shadow_address(address, unit_bytes), (size_bytes / unit_bytes + 1) * kRecordBytes, PROT_READ);
}

}  // namespace assay::simulator
