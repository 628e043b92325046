// What a fuzzer gives, taken apart into sizes and tensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace assay::fuzz {

/// Reads from the front; 0 once there is nothing left.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }

  /// 0 .. most, most at most 65535.
  std::size_t size(std::size_t most) {
    const std::size_t high = byte();
    return (high << 8 | byte()) % (most + 1);
  }

  /// `count` elements in memory of exactly that size, so that a sanitizer sees the first byte beyond.
  template <class T>
  std::vector<T> vector(std::size_t count) {
    std::vector<T> values(count);
    const std::size_t bytes = std::min(count * sizeof(T), left_.size());
    if (bytes > 0) std::memcpy(values.data(), left_.data(), bytes);
    left_ = left_.subspan(bytes);
    values.shrink_to_fit();
    return values;
  }

 private:
  std::span<const std::uint8_t> left_;
};

/// A property that does not hold.
inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace assay::fuzz
