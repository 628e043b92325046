// What all products C [M, N] = A [M, K] x W [K, N] with 4-bit weights have in common (docs/formats.md,
// "Packing" and "Groups").
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/diagnosis/coordinate.hpp"
#include "properties/operations/packed4/weight_format.hpp"

namespace assay::properties {

/// A, the weights' tensors, C; M, N, K, group_size; gemm_regimes().
OperationDeclaration packed_gemm_declaration(std::string name, const WeightFormat& format);

/// Writes A and the weights' tensors.
void fill_packed_gemm(const Case& test_case, const WeightFormat& format, Problem& filled);

/// The weights in C where the rows of A are unit vectors.
std::optional<WeightsSeen> packed_gemm_weights_seen(const Problem& problem, std::string_view output);

/// What is right for C; `half_slices` as of expect_product. Throws Unjudgeable.
Expectation expect_packed_gemm(const Problem& problem, const WeightFormat& format,
                               const Arithmetic& arithmetic, std::size_t half_slices = 0);

}  // namespace assay::properties
