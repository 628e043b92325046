// What is right for C = A x W with half results, given the exactly rounded weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "assay/problem.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/traits.hpp"
#include "properties/operations/products/weight_choices.hpp"

namespace assay::properties {

/// What terms of a product may be other than the products of halves that its inputs are.
struct ProductTerms {
  std::size_t half_slices = 0;             ///< of each sum; 0: none, it is of one piece
  std::vector<WeightChoice> choices = {};  ///< weights that may be otherwise (weight_choices.hpp)
};

/// A [M, K] and W [K, N] halves. Every C within the forward error bound of the accumulator is right
/// (docs/operations.md, "The forward error bound"; reference/bound.hpp), with two refinements that follow
/// from the data alone:
///
/// - Where all products are multiples of q = 2^e and sum|a w| <= q / u, every partial sum in every order is a
///   multiple of q of at most 1/u of them, hence exact in the accumulator: C must be RN16 of the sum, bit for
///   bit.
/// - A half accumulator underflows, so each product may err by another 2^-25, unless all are multiples of the
///   least half.
///
/// Where a compiler may have regrouped what halves are multiplied and summed up in (Arithmetic::regrouped), a
/// term takes two roundings more, and is exact only where a factor is 0 or 1 (docs/numerics.md).
///
/// Where each sum is cut in `half_slices` whose sums are rounded to half before they are added up, a term
/// takes one such rounding more, which underflows once a slice; what is exact must be so in halves.
///
/// Where subnormals may be flushed (Arithmetic::flushed), a term with a subnormal of A is itself or 0, one
/// with a weight that may be otherwise is any of what that makes it (`choices`), and a half accumulator, or
/// the sum of a slice, loses up to 2^-14 in each product and each sum, unless all are multiples of that.
///
/// Throws Unjudgeable when an element is not exact and the bound is void, or a half accumulator or slice may
/// overflow.
Expectation expect_product(std::string_view tensor, std::size_t M, std::size_t N, std::size_t K,
                           std::span<const std::uint16_t> A, std::span<const std::uint16_t> W,
                           const Arithmetic& arithmetic, const ProductTerms& terms = {});

/// Expects these halves bit for bit but for the payload of a NaN; -0 differs from 0. Those that may be
/// otherwise where subnormals are flushed are any of `choices`.
Expectation expect_halves(std::string_view tensor, std::span<const std::uint16_t> halves,
                          std::span<const WeightChoice> choices = {});

/// The same as an output whose bits are known: NaN as 0x7E00 (Operation::exact_outputs).
std::vector<ExactOutput> exact_halves(const std::string& tensor, const Problem& problem,
                                      std::span<const std::uint16_t> halves);

}  // namespace assay::properties
