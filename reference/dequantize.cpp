#include "reference/dequantize.hpp"

#include <algorithm>
#include <array>

#include "reference/fp4.hpp"
#include "reference/groups.hpp"
#include "reference/packing.hpp"
#include "reference/shape.hpp"

namespace assay::reference {
namespace {

void check_grouped(const char* field, std::size_t given, std::size_t K, std::size_t N,
                   std::size_t group_size) {
  check_elements(field, given, group_count(K, group_size), N, "ceil(K/group_size) x N");
}

constexpr unsigned kCodes = 16;
/// Columns whose tables are kept at a time: they stay in a cache while the rows of a group go by.
constexpr std::size_t kColumns = 64;

/// W [K, N] from weight(code, index of the element's scale and zero point). A column of a group has no more
/// different weights than codes, so each is worked out once.
template <class Weight>
std::vector<std::uint16_t> dequantize(std::size_t K, std::size_t N, std::size_t group_size,
                                      std::span<const std::uint32_t> packed,
                                      std::span<const std::uint16_t> scales, const Weight& weight) {
  check_positive("K", K);
  check_positive("N", N);
  check_group_size(group_size);
  check_elements("packed", packed.size(), ceil_div(K, kNibblesPerWord), N, "ceil(K/8) x N");
  check_grouped("scales", scales.size(), K, N, group_size);
  std::vector<std::uint16_t> weights(checked_product("weights", K, N));
  std::array<std::array<std::uint16_t, kCodes>, kColumns> tables;
  for (std::size_t group = 0; group < group_count(K, group_size); ++group) {
    const std::size_t first = group * group_size, rows = std::min(group_size, K - first);
    for (std::size_t begin = 0; begin < N; begin += kColumns) {
      const std::size_t end = std::min(begin + kColumns, N);
      const bool by_table = rows >= kCodes;
      for (std::size_t n = begin; by_table && n < end; ++n) {
        for (unsigned code = 0; code < kCodes; ++code) tables[n - begin][code] = weight(code, group * N + n);
      }
      for (std::size_t k = first; k < first + rows; ++k) {
        for (std::size_t n = begin; n < end; ++n) {
          const unsigned code = nibble_at(packed, N, k, n);
          weights[k * N + n] = by_table ? tables[n - begin][code] : weight(code, group * N + n);
        }
      }
    }
  }
  return weights;
}

}  // namespace

std::vector<std::uint16_t> dequantize_fp4(std::size_t K, std::size_t N, std::size_t group_size,
                                          std::span<const std::uint32_t> packed,
                                          std::span<const std::uint16_t> scales) {
  return dequantize(K, N, group_size, packed, scales,
                    [&](unsigned code, std::size_t group) { return fp4_weight(code, scales[group]); });
}

std::vector<std::uint16_t> dequantize_u4(std::size_t K, std::size_t N, std::size_t group_size,
                                         std::span<const std::uint32_t> packed,
                                         std::span<const std::uint16_t> scales,
                                         std::span<const std::uint16_t> zeros, Int4Chain chain) {
  check_group_size(group_size);
  check_grouped("zeros", zeros.size(), K, N, group_size);
  return dequantize(K, N, group_size, packed, scales, [&](unsigned code, std::size_t group) {
    return u4_weight(code, scales[group], zeros[group], chain);
  });
}

std::vector<std::uint16_t> dequantize_s4(std::size_t K, std::size_t N, std::size_t group_size,
                                         std::span<const std::uint32_t> packed,
                                         std::span<const std::uint16_t> scales,
                                         std::span<const std::uint16_t> zeros, Int4Chain chain) {
  check_group_size(group_size);
  check_grouped("zeros", zeros.size(), K, N, group_size);
  return dequantize(K, N, group_size, packed, scales, [&](unsigned code, std::size_t group) {
    return s4_weight(code, scales[group], zeros[group], chain);
  });
}

}  // namespace assay::reference
