// The buffers of a simulated GPU: where each lies, and what its checker is told of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::simulator {

class Checker;

/// All functions throw DeviceError for a buffer that is not there and for bytes outside of one.
class Buffers {
 public:
  /// The checker is told of all that happens to buffers; nullptr: nobody is. `margin_bytes`, a multiple of
  /// 256, lie ahead of each buffer and behind it.
  Buffers(std::size_t largest_bytes, Checker* checker, std::size_t margin_bytes = 0)
      : largest_bytes_(largest_bytes), checker_(checker), margin_bytes_(margin_bytes) {}
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  /// A buffer of poison. Throws DeviceError where it has no byte, or too many.
  device::BufferId allocate(std::size_t size_bytes);
  /// A sparse buffer, whatever its size.
  device::BufferId allocate_sparse(std::size_t size_bytes);
  void release(device::BufferId buffer);

  /// Where these bytes lie.
  std::byte* at(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) const;
  std::byte* at(const device::BufferSlice& slice) const {
    return at(slice.buffer, slice.offset_bytes, slice.size_bytes);
  }
  bool is_sparse(device::BufferId buffer) const;

  void upload(device::BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data);
  /// Of a sparse buffer: the pattern as often as it fits, which is kept once.
  void repeat(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
              std::span<const std::byte> pattern);
  void forget(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes);
  /// Where bytes of that range may be other than zero and can be written to.
  std::vector<std::span<std::byte>> held(std::uintptr_t begin, std::size_t size_bytes) const;
  /// A launch begins that may write to the buffer which lies there.
  void launched(std::uintptr_t address);
  /// Of a sparse buffer: which of these bytes lie in pages that something has touched.
  std::vector<device::ByteRange> touched(device::BufferId buffer, std::size_t offset_bytes,
                                         std::size_t size_bytes) const;

 private:
  struct Buffer {
    std::byte* data = nullptr;
    std::size_t size_bytes = 0;
    // Of a sparse one, as offsets:
    device::ByteRange fixed = {};                ///< copies of a pattern, which nobody can write to
    std::vector<device::ByteRange> filled = {};  ///< what the host has written
    bool launched = false;                       ///< there may be more than that
  };
  void check_size(std::size_t size_bytes) const;
  void give_back(const Buffer& buffer) const;
  device::BufferId add(const Buffer& buffer);
  const Buffer& find(device::BufferId buffer) const;
  /// The number of the one that lies there; 0 where none does.
  std::uint32_t holding(std::uintptr_t address) const;
  void fill(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes);

  std::size_t largest_bytes_;
  Checker* checker_;
  std::size_t margin_bytes_;
  std::unordered_map<std::uint32_t, Buffer> buffers_;
  std::uint32_t next_ = 1;
};

}  // namespace assay::simulator
