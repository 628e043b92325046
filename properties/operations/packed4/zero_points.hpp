// How the zero points of INT4 weights are drawn, beside the scales of gemm_values.hpp and
// dequantize_values.hpp.
//
// A tame zero point is at most 16 from every value that a code stands for. All are fractional but for those
// of `single`, whose weights must be 0 and 1:
//   constant                       1/2.
//   exact                          multiples of 1/2 among the codes, so that sums stay exact.
//   random, cancel                 any fraction among the codes; under `cancel` one a column, as the scale.
//   single                         an integer for each group and column; its codes move along.
//   probe                          fractions, integers, halves, and anything below 1: subnormals, both zeros.
//   special                        fractions, and a few that are NaN, infinite, huge or tiny.
//   sweep                          every half, by knob `zero`: zero + 0x6A5D i.
//   any                            fractions and any bits, alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/diagnosis/counterfactual.hpp"
#include "properties/operations/packed4/weight_format.hpp"

namespace assay::properties {

/// Zeros [groups, N] for the regimes of products.
void fill_zeros(const Case& test_case, const WeightFormat& format, std::span<std::uint16_t> zeros);

/// Zeros [groups, N] for the regimes of dequantization.
void fill_dequantize_zeros(const Case& test_case, const WeightFormat& format, std::span<std::uint16_t> zeros);

/// Under `single`: the code whose weight is 0 for element `index` of zeros. The next but as many as
/// format.one is from format.zero is that of 1.
unsigned code_of_zero(const Case& test_case, const WeightFormat& format, std::size_t index);

/// How a kernel may have come to other zero points: by the magic bias of 1024. None where the format has no
/// zero points.
std::vector<Counterfactual> zero_counterfactuals(const Problem& problem);

}  // namespace assay::properties
