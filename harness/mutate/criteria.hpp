// What other harnesses of this field accept, to measure mutants by: tolerances on the whole output of random
// inputs.
#pragma once

#include <array>
#include <string_view>

#include "assay/problem.hpp"
#include "assay/tensor.hpp"

namespace assay::mutate {

/// Their names, in the order of `Rejected`.
inline constexpr std::array<std::string_view, 4> kCriteria = {
    "mean relative difference < 0.04",        // sum |a - b| / sum |b|
    "NMSE <= 5e-4",                           // sum (a - b)^2 / sum b^2
    "allclose, rtol = atol = 1e-2",           // |a - b| <= atol + rtol |b|, every element
    "relative difference < 0.1 (|a| + |b|)",  // every element; equal ones pass
};

/// Which criteria reject.
using Rejected = std::array<bool, kCriteria.size()>;

/// `output` against the exact results. An element that is NaN in one and not in the other is rejected by all;
/// where both are the same, NaN and infinities included, there is no difference.
Rejected rejected_by(const Tensor& output, const Expectation& expected);

}  // namespace assay::mutate
