#include "reference/packing.hpp"

#include <stdexcept>
#include <string>

#include "reference/shape.hpp"

namespace assay::reference {

std::vector<std::uint32_t> pack_nibbles(std::span<const std::uint8_t> codes, std::size_t K, std::size_t N) {
  check_positive("K", K);
  check_positive("N", N);
  check_elements("codes", codes.size(), K, N, "K x N");
  std::vector<std::uint32_t> packed(ceil_div(K, kNibblesPerWord) * N, 0);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n) {
      const std::uint32_t code = codes[k * N + n];
      if (code > 15) {
        throw std::invalid_argument("codes: element (" + std::to_string(k) + ", " + std::to_string(n) +
                                    ") is " + std::to_string(code) + ", not in 0..15");
      }
      packed[k / kNibblesPerWord * N + n] |= code << (4 * (k % kNibblesPerWord));
    }
  }
  return packed;
}

std::vector<std::uint8_t> unpack_nibbles(std::span<const std::uint32_t> packed, std::size_t K,
                                         std::size_t N) {
  check_positive("K", K);
  check_positive("N", N);
  check_elements("packed", packed.size(), ceil_div(K, kNibblesPerWord), N, "ceil(K/8) x N");
  std::vector<std::uint8_t> codes(checked_product("codes", K, N));
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n) {
      codes[k * N + n] = static_cast<std::uint8_t>(nibble_at(packed, N, k, n));
    }
  }
  return codes;
}

}  // namespace assay::reference
