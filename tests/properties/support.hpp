// What the tests of properties share.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/operation.hpp"
#include "reference/half.hpp"

namespace assay::properties::testing {

inline KernelTraits common_tile() { return {.tile = {64, 64, 32}, .requirements = {}, .arithmetic = {}}; }

/// Whether one half is right, as a comparison of the harness judges it.
inline bool accepts(const Expectation& expected, std::size_t i, std::uint16_t half) {
  const double value = reference::half_to_double(half);
  if (std::isnan(expected.low[i]) || std::isnan(value))
    return std::isnan(expected.low[i]) && std::isnan(value);
  if (expected.signed_zero && value == 0.0 && expected.low[i] == 0.0) {
    return std::signbit(value) == std::signbit(expected.low[i]);
  }
  return expected.low[i] <= value && value <= expected.high[i];
}

inline std::size_t count_rejected(const Expectation& expected, std::span<const std::uint16_t> halves) {
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < halves.size(); ++i) rejected += accepts(expected, i, halves[i]) ? 0 : 1;
  return rejected;
}

/// A case of gemm_fp4 with all knobs at 0.
inline Case gemm_case(std::int64_t M, std::int64_t N, std::int64_t K, std::int64_t group_size,
                      const std::string& regime, std::uint64_t seed) {
  return {.operation = "gemm_fp4",
          .dims = {{"M", M}, {"N", N}, {"K", K}, {"group_size", group_size}},
          .regime = regime,
          .knobs = {},
          .seed = seed};
}

}  // namespace assay::properties::testing
