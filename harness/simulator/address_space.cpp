#include "harness/simulator/address_space.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "assay/device/device.hpp"
#include "harness/device/grouped.hpp"
#include "harness/sandbox/fault_watch.hpp"

namespace assay::simulator {
namespace {

constexpr std::size_t kPage = 4096;
/// What is repeated is mapped in pieces, of which each is filled: at most so large, and at most so many where
/// they are smaller. A process has some 65,000 mappings at most.
constexpr std::size_t kPiece = std::size_t{4} << 20, kMappings = 512;

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

[[noreturn]] void fail(const char* what) {
  throw device::DeviceError(fmt::format("simulated memory: {}: {}", what, strerror(errno)));
}

#ifdef ASSAY_UNDER_THREAD_SANITIZER
constexpr const char* kCannotReserve = "cannot reserve addresses; run the command with `setarch -R`";
#else
constexpr const char* kCannotReserve = "cannot reserve addresses";
#endif

// Reserved memory is not accounted for, as long as it cannot be written.
void reserve(std::uintptr_t base, std::size_t size, int protection) {
  void* got = mmap(at(base), size, protection,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) fail(kCannotReserve);
  if (got != at(base)) {
    munmap(got, size);
    errno = EEXIST;
    fail(kCannotReserve);
  }
}

void back(std::uintptr_t address, std::size_t size) {
  const auto begin = address / kPage * kPage;
  const auto end = round_up(address + size, kPage);
  if (mprotect(at(begin), end - begin, PROT_READ | PROT_WRITE) != 0)
    fail("cannot back addresses with memory");
}

// Of what is small the memory stays, for the next that lies there: pages that are given back are faults
// later.
constexpr std::size_t kKept = std::size_t{256} << 10;

bool is_kept(std::size_t size) { return size <= kKept; }

void unback(std::uintptr_t address, std::size_t size, int protection) {
  const auto begin = address / kPage * kPage;
  const auto end = round_up(address + size, kPage);
  if (!is_kept(size)) madvise(at(begin), end - begin, MADV_DONTNEED);
  mprotect(at(begin), end - begin, protection);
}

std::uintptr_t shadow_address(std::uintptr_t address, std::size_t unit_bytes) {
  return kShadowBase + (address - kBase) / unit_bytes * kRecordBytes;
}

// Buffers begin at different cache sets: slots are a power of two apart, which would put them all in one.
std::uintptr_t slot_address(std::uint32_t slot) {
  return kBase + slot * kSlotPitch + kSlotGap + std::size_t{slot} % 61 * 4352;
}

// Zeroes that are nobody's own: the kernel counts neither their addresses against the limit of a process nor
// pages that are not touched against its memory.
void share(std::uintptr_t address, std::size_t size) {
  void* got = mmap(at(address), round_up(size, kPage), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (got == MAP_FAILED) fail("cannot back addresses with memory");
}

void unshare(std::uintptr_t address, std::size_t size, int protection) {
  void* got = mmap(at(address), round_up(size, kPage), protection,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (got == MAP_FAILED) fail("cannot take memory from addresses");
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
  for (std::uint32_t i = 0; i < kSlots; ++i) free_slots_.insert(i);
  for (std::uint32_t i = 0; i < kWindows; ++i) free_windows_.insert(i);
}

std::byte* AddressSpace::allocate(std::size_t size_bytes) {
  if (size_bytes > kLargestBuffer) {
    throw device::DeviceError(fmt::format("a buffer of {} bytes is too large: the simulator allows {}",
                                          device::grouped(size_bytes), device::grouped(kLargestBuffer)));
  }
  const std::lock_guard lock(mutex_);
  if (free_slots_.empty())
    throw device::DeviceError(
        fmt::format("there are more than {} buffers; release some", device::grouped(kSlots)));
  const auto slot = *free_slots_.begin();
  back(slot_address(slot), size_bytes);
  free_slots_.erase(slot);
  return static_cast<std::byte*>(at(slot_address(slot)));
}

void AddressSpace::release(std::byte* buffer, std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(buffer);
  unback(address, size_bytes, PROT_NONE);
  free_slots_.insert(static_cast<std::uint32_t>((address - kBase) / kSlotPitch));
}

// As far from the nearest of the others as there is room: what misses its buffer by the upper half of an
// offset is still nearer to it than to any other.
std::uintptr_t AddressSpace::free_sparse_address(std::size_t size_bytes) const {
  constexpr std::uintptr_t kEnd = kSparseBase + kSparseBytes, kNone = ~std::uintptr_t{0};
  std::uintptr_t best = 0, farthest = 0;
  const auto consider_hole = [&](std::uintptr_t begin, std::uintptr_t end) {
    if (end - begin < size_bytes + 2 * kSparseGap) return;
    const std::uintptr_t first = begin + kSparseGap, last = end - kSparseGap - size_bytes;
    const std::uintptr_t wanted = begin == kSparseBase ? first
                                  : end == kEnd        ? last
                                                       : first + (last - first) / 2;
    const std::uintptr_t below =
        kSparseBase + kSparseGap + (wanted - kSparseGap - kSparseBase) / kSparseAlignment * kSparseAlignment;
    for (const std::uintptr_t address : {below, below + kSparseAlignment}) {
      if (address < first || address > last) continue;
      const std::uintptr_t distance = std::min(begin == kSparseBase ? kNone : address - begin,
                                               end == kEnd ? kNone : end - (address + size_bytes));
      if (distance > farthest) {
        farthest = distance;
        best = address;
      }
    }
  };
  std::uintptr_t begin = kSparseBase;
  for (const auto& [address, buffer] : sparse_) {
    consider_hole(begin, address);
    begin = buffer.end;
  }
  consider_hole(begin, kEnd);
  if (farthest == 0)
    throw device::DeviceError("there are too many sparse buffers, or too large ones; release some");
  return best;
}

std::byte* AddressSpace::allocate_sparse(std::size_t size_bytes) {
  if (size_bytes > kLargestSparseBuffer) {
    throw device::DeviceError(fmt::format("a buffer of {} bytes is too large: the simulator allows {}",
                                          device::grouped(size_bytes),
                                          device::grouped(kLargestSparseBuffer)));
  }
  const std::lock_guard lock(mutex_);
  const auto address = free_sparse_address(size_bytes);
  share(address, size_bytes);
  sparse_[address] = {address + size_bytes, 0};
  return static_cast<std::byte*>(at(address));
}

void AddressSpace::release_sparse(std::byte* buffer, std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(buffer);
  unshare(address, size_bytes, PROT_NONE);
  if (const auto released = sparse_.extract(address); released && released.mapped().read_only != 0)
    sandbox::forget_guards(released.mapped().read_only);
}

std::size_t AddressSpace::repeat(std::byte* begin, std::size_t size_bytes,
                                 std::span<const std::byte> pattern) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  std::size_t done = 0;
  if (address % kPage == 0 && pattern.size() % kPage == 0 && size_bytes >= kPage) {
    const std::size_t least = std::min(kPiece, size_bytes / kMappings);
    const std::size_t times = std::max<std::size_t>((least + pattern.size() - 1) / pattern.size(), 1);
    const std::size_t bytes = std::min(times * pattern.size(), round_up(size_bytes, pattern.size()));
    void* const got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) fail("there is no memory for a repeated pattern");
    auto* const copy = static_cast<std::byte*>(got);
    for (std::size_t at = 0; at < bytes; at += pattern.size())
      std::memcpy(copy + at, pattern.data(), pattern.size());
    for (const std::size_t whole = size_bytes / kPage * kPage; done < whole;) {
      const std::size_t piece = std::min(bytes, whole - done);
      // An old size of 0 makes another mapping of the same pages.
      if (mremap(copy, 0, piece, MREMAP_MAYMOVE | MREMAP_FIXED, begin + done) == MAP_FAILED)
        fail("cannot repeat a pattern");
      done += piece;
    }
    mprotect(begin, done, PROT_READ);
    const std::lock_guard lock(mutex_);
    sandbox::name_guards({address, done, done, 1}, "the kernel wrote to an input");
    std::prev(sparse_.upper_bound(address))->second.read_only = address;
    munmap(copy, bytes);
  }
  for (std::size_t at = done; at < size_bytes; ++at) begin[at] = pattern[at % pattern.size()];
  return done;
}

std::vector<device::ByteRange> AddressSpace::touched(const std::byte* begin, std::size_t size_bytes) const {
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / kPage * kPage;
  const auto end = round_up(reinterpret_cast<std::uintptr_t>(begin) + size_bytes, kPage);
  const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) - first;
  std::vector<unsigned char> resident((end - first) / kPage);
  if (mincore(at(first), end - first, resident.data()) != 0) return {{0, size_bytes}};
  std::vector<device::ByteRange> ranges;
  for (std::size_t page = 0; page < resident.size(); ++page) {
    if ((resident[page] & 1) == 0) continue;
    const std::size_t from = page * kPage < before ? 0 : page * kPage - before;
    const std::size_t to = std::min((page + 1) * kPage - before, size_bytes);
    if (!ranges.empty() && ranges.back().end == from) {
      ranges.back().end = to;
    } else {
      ranges.push_back({from, to});
    }
  }
  return ranges;
}

std::byte* AddressSpace::acquire_window() {
  const std::lock_guard lock(mutex_);
  if (free_windows_.empty())
    throw device::DeviceError(
        "all threadgroup memory of the simulator is in use; use fewer threads of the operating system");
  const auto window = *free_windows_.begin();
  const auto address = kThreadgroupBase + window * kWindowBytes;
  back(address, kWindowBytes);
  free_windows_.erase(window);
  return static_cast<std::byte*>(at(address));
}

void AddressSpace::release_window(std::byte* window) {
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(window);
  unback(address, kWindowBytes, PROT_NONE);
  free_windows_.insert(static_cast<std::uint32_t>((address - kThreadgroupBase) / kWindowBytes));
}

void AddressSpace::back_shadow(std::uintptr_t address, std::size_t size_bytes, std::size_t unit_bytes) {
  if (is_sparse(address)) {
    const auto shadow = shadow_address(address, unit_bytes) / kPage * kPage;
    return share(shadow, size_bytes / unit_bytes * kRecordBytes + 2 * kPage);
  }
  back(shadow_address(address, unit_bytes), (size_bytes / unit_bytes + 1) * kRecordBytes);
}

void AddressSpace::drop_shadow(std::uintptr_t address, std::size_t size_bytes, std::size_t unit_bytes) {
  if (is_sparse(address)) {
    const auto shadow = shadow_address(address, unit_bytes) / kPage * kPage;
    return unshare(shadow, size_bytes / unit_bytes * kRecordBytes + 2 * kPage, PROT_READ);
  }
  const auto shadow = shadow_address(address, unit_bytes);
  const std::size_t bytes = (size_bytes / unit_bytes + 1) * kRecordBytes;
  if (is_kept(bytes)) std::memset(at(shadow), 0, bytes);
  unback(shadow, bytes, PROT_READ);
}

}  // namespace assay::simulator
