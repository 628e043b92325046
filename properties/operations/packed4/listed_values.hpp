// Values by counting instead of drawing: the regimes of exhaustive runs (exhaustive.hpp), which no other run
// draws. A problem of these is replayed as any other.
//
//   count   the scale of column n has the bits scale + n scale_step, its zero point the bits
//           zero + n zero_step; element (k, n) has code k + n + shift. Of a product, row m of A holds
//           k = (first + m) % K, so that C is W.
//   words   scales of 1, zero points of 1/2; packed word (r, n) is word_of(word + r N + n). Of a product,
//           row m of A holds k = m.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/operations/packed4/weight_format.hpp"

namespace assay::properties {

/// The two regimes above. `product`: with A.
std::vector<Regime> listed_regimes(const WeightFormat& format, bool product);

/// Planned: "exponents", in which each code meets scales, and zero points, of every exponent and about the
/// ends of halves: 0 at its borders, what rounds to infinity, ties.
PlannedRegime exponents_regime(const WeightFormat& format);

/// A case of "exponents" as the case of "count" that has its values; others as they are.
Case as_counted(const Case& test_case);

/// Whether the values of a case are counted.
bool is_listed(const Case& test_case);

/// Number `index` among all 2^32 packed words: each once, and any first few of them far apart.
constexpr std::uint32_t word_of(std::uint64_t index) {
  return static_cast<std::uint32_t>(index * 0x9E3779B1U);  // odd, hence a permutation
}

/// Codes [K, N], 0..15.
std::vector<std::uint8_t> listed_codes(const Case& test_case);
/// Scales and zero points, [groups, N].
void fill_listed_scales(const Case& test_case, std::span<std::uint16_t> scales);
void fill_listed_zeros(const Case& test_case, std::span<std::uint16_t> zeros);

}  // namespace assay::properties
