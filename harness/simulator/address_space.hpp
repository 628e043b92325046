// All simulated memory, at fixed addresses, so that one shift and one add lead from a byte to its record.
//
//   kBase               device buffers, one a slot of 2 GiB, with at least 512 MiB of nothing on both sides
//   kSparseBase         sparse buffers, of any size each, with kSparseGap or more of nothing on both sides
//   kThreadgroupBase    threadgroup memory, one window a compute unit
//   kShadowBase         the checker's records, 16 bytes for each unit of 1 or 2 bytes
//
// Only what is in use is backed by memory; everything else stops the processor when it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::simulator {

inline constexpr std::size_t kGiB = std::size_t{1} << 30;

// ThreadSanitizer keeps most addresses for itself. Between what it keeps and the libraries lie 1,400 GiB, as
// long as the system does not choose addresses at random (`setarch -R`).
#ifdef ASSAY_UNDER_THREAD_SANITIZER
inline constexpr std::uintptr_t kBase = 0x7e80'0000'0000;
inline constexpr std::size_t kLargestBuffer = kGiB / 128;
inline constexpr std::size_t kSparseBytes = 72 * kGiB, kSparseAlignment = kGiB / 4;
// So that 17 small ones have room.
inline constexpr std::size_t kSparseGap = 7 * kGiB / 2;
#else
inline constexpr std::uintptr_t kBase = 0x2000'0000'0000;
inline constexpr std::size_t kLargestBuffer = kGiB;
inline constexpr std::size_t kSparseBytes = 1024 * kGiB, kSparseAlignment = 16 * kGiB;
inline constexpr std::size_t kSparseGap = 4 * kGiB;
#endif
inline constexpr std::size_t kSlotPitch = 2 * kLargestBuffer, kSlotGap = kLargestBuffer / 2;
inline constexpr std::size_t kSlots = 512;
inline constexpr std::uintptr_t kSparseBase = kBase + kSlotPitch * kSlots;
inline constexpr std::size_t kFarthestMiss = 4 * kGiB;  // as far as a wrapped offset of 32 bits leads
// Room for more than 2^31 floats, which a signed index of 32 bits does not count.
inline constexpr std::size_t kLargestSparseBuffer = 16 * kGiB;
inline constexpr std::size_t kThreadgroupOffset = kSlotPitch * kSlots + kSparseBytes;
inline constexpr std::uintptr_t kThreadgroupBase = kBase + kThreadgroupOffset;
inline constexpr std::size_t kWindowBytes = std::size_t{16} << 20;
inline constexpr std::size_t kWindows = 256;
inline constexpr std::size_t kSpan = kThreadgroupOffset + kWindowBytes * kWindows;
inline constexpr std::uintptr_t kShadowBase = kBase + kSpan;
inline constexpr std::size_t kRecordBytes = 16;

/// The one address space of the process. Thread-safe.
class AddressSpace {
 public:
  static AddressSpace& instance();

  /// Backed memory for a device buffer, aligned to 256 bytes; what it holds is nobody's. Throws
  /// device::DeviceError.
  std::byte* allocate(std::size_t size_bytes);
  void release(std::byte* buffer, std::size_t size_bytes);

  /// A sparse buffer: zeroes, backed page by page as they are touched, up to kLargestSparseBuffer. A process
  /// that is forked while it lives shares it. Throws device::DeviceError.
  std::byte* allocate_sparse(std::size_t size_bytes);
  void release_sparse(std::byte* buffer, std::size_t size_bytes);
  static bool is_sparse(std::uintptr_t address) { return address - kSparseBase < kSparseBytes; }

  /// Part of a sparse buffer becomes a pattern, as often as it fits: one copy of it, wherever that can be,
  /// which nobody can write to. Returns how many of its bytes that is.
  std::size_t repeat(std::byte* begin, std::size_t size_bytes, std::span<const std::byte> pattern);

  /// The pages of a sparse buffer that something has touched, as ranges of offsets.
  std::vector<device::ByteRange> touched(const std::byte* begin, std::size_t size_bytes) const;

  /// A window of threadgroup memory, backed, for one compute unit.
  std::byte* acquire_window();
  void release_window(std::byte* window);

  /// Backs the records of [address, address + size_bytes), where each stands for `unit_bytes`.
  void back_shadow(std::uintptr_t address, std::size_t size_bytes, std::size_t unit_bytes);
  /// Gives the records of that range back: they read as zero when they are backed again.
  void drop_shadow(std::uintptr_t address, std::size_t size_bytes, std::size_t unit_bytes);

 private:
  AddressSpace();
  /// Where a sparse buffer of that size is to lie.
  std::uintptr_t free_sparse_address(std::size_t size_bytes) const;

  std::mutex mutex_;
  /// The lowest is taken first: what lies where hangs on what is there, and not on what has been.
  std::set<std::uint32_t> free_slots_;
  std::set<std::uint32_t> free_windows_;
  struct Sparse {
    std::uintptr_t end = 0;
    std::uintptr_t read_only = 0;  ///< where a pattern begins that nobody may write to; 0 where there is none
  };
  std::map<std::uintptr_t, Sparse> sparse_;  ///< by their addresses
};

}  // namespace assay::simulator
