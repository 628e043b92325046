// Buffers as bytes, as fast as memory is: what a launch is prepared from and held against passes through here
// several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::device {

/// How much of a large buffer is worked on at a time: it stays in a cache, and no copy of the whole is made.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

/// Fills memory with poison, its low byte at even addresses, where the first byte of `data` stands at byte
/// `offset_bytes` of its buffer.
void fill_poison(std::span<std::byte> data, std::uint16_t poison, std::size_t offset_bytes = 0);

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace assay::device
