#include "absmax_reference.hpp"

#include <algorithm>

std::vector<std::uint16_t> absmax(std::span<const std::uint16_t> W, std::size_t K, std::size_t N,
                                  std::size_t group_size) {
  std::vector<std::uint16_t> largest((K + group_size - 1) / group_size * N, 0);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n) {
      // Halves without their sign are ordered as their bits are.
      const auto magnitude = static_cast<std::uint16_t>(W[k * N + n] & 0x7FFF);
      auto& largest_here = largest[k / group_size * N + n];
      largest_here = std::max(largest_here, magnitude);
    }
  }
  return largest;
}
