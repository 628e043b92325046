// Problems too large to be made, run and solved whole: their tensors repeat those of a smaller one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/operation.hpp"

namespace assay::properties {

/// Tensors of at most so many bytes are not repeated, but made whole.
inline constexpr std::size_t kSmallTensor = std::size_t{1} << 20;

/// What memory is mapped in: tensors repeat in whole pages of so many bytes.
inline constexpr std::size_t kPage = 4096;

/// Whether a case is run as a sample of its threadgroups: the product of its sizes is larger than that of any
/// case that is run whole (Budget::longest).
bool is_large(const OperationDeclaration& declaration, const Dims& dims);

/// Whether the problem of a large case can be made: as Operation::can_repeat says, and where dimensions are
/// hidden in compressed data only if these repeat, or are few enough to be compressed as a whole.
bool can_make_large(const Operation& operation, const Dims& dims);

/// The problem of a large case. A tensor that is large itself repeats, element by element as they lie in
/// memory, the one of the case with sizes of a few hundred that is the same in everything else; its period is
/// a multiple of a prime beyond those that sizes are usually made of, so that what lies a power of two away,
/// or a row, is something else. A tensor that a kernel keeps in another order repeats in that order. Throws
/// std::invalid_argument as Operation::make_problem does, and Unjudgeable where a tensor that is kept
/// otherwise cannot repeat so.
Problem make_large_problem(const Operation& operation, const Case& test_case, const Storages& storages = {});

}  // namespace assay::properties
