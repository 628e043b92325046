#include "reference/trellis.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/groups.hpp"
#include "reference/half.hpp"
#include "reference/shape.hpp"

namespace assay::reference {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "each float product must round to float32");

constexpr std::size_t kTileElements = kTrellisTile * kTrellisTile;

/// Where an index begins: a byte of packed_indices and a bit of that byte.
struct BitPosition {
  std::size_t byte;
  unsigned bit;
};

BitPosition position_of(std::size_t k, std::size_t n, std::size_t N, unsigned bits) {
  const std::size_t tile = k / kTrellisTile * ceil_div(N, kTrellisTile) + n / kTrellisTile;
  const std::size_t index_in_tile = k % kTrellisTile * kTrellisTile + n % kTrellisTile;
  const std::size_t bit = index_in_tile * bits;
  return {tile * (kTileElements * bits / 8) + bit / 8, static_cast<unsigned>(bit % 8)};
}

unsigned index_at(std::span<const std::uint8_t> packed, std::size_t k, std::size_t n, std::size_t N,
                  unsigned bits) {
  const auto [byte, bit] = position_of(k, n, N, bits);
  unsigned window = packed[byte];
  // The next byte only when the index reaches into it: the last index of the last tile has none after it.
  if (bit + bits > 8) window |= static_cast<unsigned>(packed[byte + 1]) << 8;
  return window >> bit & ((1U << bits) - 1);
}

/// Where the row of a tile begins that has element (k, n), n a multiple of 16. Its 16 indices fill 2 * bits
/// bytes.
std::size_t row_position(std::size_t k, std::size_t n, std::size_t N, unsigned bits) {
  return position_of(k, n, N, bits).byte;
}

/// The indices of such a row side by side, the first in the lowest bits.
std::uint64_t row_at(std::span<const std::uint8_t> packed, std::size_t position, unsigned bits) {
  std::uint64_t row = 0;
  for (std::size_t i = 0; i < 2 * bits; ++i) row |= std::uint64_t{packed[position + i]} << (8 * i);
  return row;
}

std::size_t tile_count(std::size_t K, std::size_t N) {
  return checked_product("packed_indices", ceil_div(K, kTrellisTile), ceil_div(N, kTrellisTile));
}

void check_packed(std::span<const std::uint8_t> packed_indices, std::size_t K, std::size_t N, unsigned bits) {
  check_positive("K", K);
  check_positive("N", N);
  check_elements("packed_indices", packed_indices.size(), tile_count(K, N), trellis_tile_bytes(bits),
                 "ceil(K/16) ceil(N/16) x 256*bits/8");
}

void check_signs(const std::string& field, std::span<const float> signs) {
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] != 1.0F && signs[i] != -1.0F) {
      throw std::invalid_argument(field + ": element " + std::to_string(i) + " is " +
                                  std::to_string(signs[i]) +
                                  ", must be +1 or -1: the sign vector is corrupt");
    }
  }
}

void check_finite(const std::string& field, std::span<const float> values, const char* symptom) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw std::invalid_argument(field + ": element " + std::to_string(i) + " is " +
                                std::to_string(values[i]) + ", must be finite: " + symptom);
  }
}

}  // namespace

std::size_t trellis_tile_bytes(unsigned bits) {
  if (bits < 2 || bits > 4) {
    throw std::invalid_argument("bits: must be 2, 3 or 4, is " + std::to_string(bits));
  }
  return kTileElements * bits / 8;
}

std::vector<std::uint8_t> pack_trellis(std::span<const std::uint8_t> indices, std::size_t K, std::size_t N,
                                       unsigned bits) {
  const std::size_t tile_bytes = trellis_tile_bytes(bits);
  check_positive("K", K);
  check_positive("N", N);
  check_elements("indices", indices.size(), K, N, "K x N");
  std::vector<std::uint8_t> packed(checked_product("packed_indices", tile_count(K, N), tile_bytes), 0);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t begin = 0; begin < N; begin += kTrellisTile) {
      std::uint64_t row = 0;
      for (std::size_t n = begin; n < std::min(begin + kTrellisTile, N); ++n) {
        const unsigned index = indices[k * N + n];
        if (index >= 1U << bits) {
          throw std::invalid_argument("indices: element (" + std::to_string(k) + ", " + std::to_string(n) +
                                      ") is " + std::to_string(index) + ", not below 2^" +
                                      std::to_string(bits));
        }
        row |= std::uint64_t{index} << ((n - begin) * bits);
      }
      const std::size_t position = row_position(k, begin, N, bits);
      for (std::size_t i = 0; i < 2 * bits; ++i)
        packed[position + i] = static_cast<std::uint8_t>(row >> (8 * i));
    }
  }
  return packed;
}

std::vector<std::uint8_t> unpack_trellis(std::span<const std::uint8_t> packed_indices, std::size_t K,
                                         std::size_t N, unsigned bits) {
  check_packed(packed_indices, K, N, bits);
  std::vector<std::uint8_t> indices(checked_product("indices", K, N));
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t begin = 0; begin < N; begin += kTrellisTile) {
      std::uint64_t row = row_at(packed_indices, row_position(k, begin, N, bits), bits);
      for (std::size_t n = begin; n < std::min(begin + kTrellisTile, N); ++n, row >>= bits)
        indices[k * N + n] = static_cast<std::uint8_t>(row & ((1U << bits) - 1));
    }
  }
  return indices;
}

namespace {

void check_shapes(const TrellisWeights& weights) {
  check_packed(weights.packed_indices, weights.K, weights.N, weights.bits);
  check_group_size(weights.group_size);
  check_elements("scales", weights.scales.size(), group_count(weights.K, weights.group_size), weights.N,
                 "ceil(K/group_size) x N");
  const std::size_t most_levels = std::size_t{1} << weights.bits;
  if (weights.grid.empty() || weights.grid.size() > most_levels) {
    throw std::invalid_argument("grid: has " + std::to_string(weights.grid.size()) +
                                " levels, must have 1 to " + std::to_string(most_levels));
  }
  check_elements("su", weights.su.size(), weights.K, 1, "K");
  check_elements("sv", weights.sv.size(), weights.N, 1, "N");
}

}  // namespace

void check_trellis(const TrellisWeights& weights) {
  check_shapes(weights);
  check_finite("scales", weights.scales, "the weights of its group would be NaN or infinite");
  check_finite("grid", weights.grid, "every weight of that level would be NaN or infinite");
  check_signs("su", weights.su);
  check_signs("sv", weights.sv);
}

namespace {

/// Columns whose levels are kept at a time, whole tiles: they stay in a cache while the rows of a group go
/// by.
constexpr std::size_t kColumns = 4 * kTrellisTile;
constexpr std::size_t kMostLevels = 16;

bool are_signs(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float one) { return one == 1.0F || one == -1.0F; });
}

/// Where all signs are +1 or -1: a column of a group has no more different magnitudes than levels, so each is
/// worked out once, and signs are those of the halves. (The sign of a NaN means nothing.)
std::vector<std::uint16_t> dequantize_by_table(const TrellisWeights& weights) {
  const std::size_t K = weights.K, N = weights.N, levels = std::size_t{1} << weights.bits;
  std::vector<std::uint16_t> halves(checked_product("weights", K, N));
  std::array<std::array<std::uint16_t, kMostLevels>, kColumns> tables;
  for (std::size_t group = 0; group < group_count(K, weights.group_size); ++group) {
    const std::size_t first = group * weights.group_size, rows = std::min(weights.group_size, K - first);
    for (std::size_t begin = 0; begin < N; begin += kColumns) {
      const std::size_t end = std::min(begin + kColumns, N);
      for (std::size_t n = begin; n < end; ++n) {
        const std::uint16_t sign = std::signbit(weights.sv[n]) ? 0x8000 : 0;
        for (std::size_t i = 0; i < levels; ++i) {
          const float level = weights.grid[i < weights.grid.size() ? i : 0];
          tables[n - begin][i] =
              static_cast<std::uint16_t>(half_from_float(level * weights.scales[group * N + n]) ^ sign);
        }
      }
      for (std::size_t k = first; k < first + rows; ++k) {
        const std::uint16_t sign = std::signbit(weights.su[k]) ? 0x8000 : 0;
        for (std::size_t tile = begin; tile < end; tile += kTrellisTile) {
          std::uint64_t row =
              row_at(weights.packed_indices, row_position(k, tile, N, weights.bits), weights.bits);
          for (std::size_t n = tile; n < std::min(tile + kTrellisTile, end); ++n, row >>= weights.bits)
            halves[k * N + n] = static_cast<std::uint16_t>(tables[n - begin][row & (levels - 1)] ^ sign);
        }
      }
    }
  }
  return halves;
}

}  // namespace

std::vector<std::uint16_t> dequantize_trellis(const TrellisWeights& weights, bool flushed) {
  check_shapes(weights);
  if (!flushed && weights.group_size >= kMostLevels && are_signs(weights.su) && are_signs(weights.sv))
    return dequantize_by_table(weights);
  const auto held = [&](float x) { return flushed && std::fabs(x) < FLT_MIN ? std::copysign(0.0F, x) : x; };
  const std::size_t N = weights.N;
  std::vector<std::uint16_t> halves(checked_product("weights", weights.K, N));
  for (std::size_t k = 0; k < weights.K; ++k) {
    for (std::size_t n = 0; n < N; ++n) {
      const unsigned index = index_at(weights.packed_indices, k, n, N, weights.bits);
      const float level = weights.grid[index < weights.grid.size() ? index : 0];
      const float scaled = held(held(level) * held(weights.scales[group_of(k, weights.group_size) * N + n]));
      const float row_signed = held(scaled * held(weights.su[k]));
      halves[k * N + n] = half_from_float(held(row_signed * held(weights.sv[n])));
    }
  }
  return halves;
}

}  // namespace assay::reference
