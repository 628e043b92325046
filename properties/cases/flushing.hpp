// Subnormal numbers that arithmetic may flush to zero (docs/numerics.md, "Flushed"): in what goes into a
// problem, and in what is right for it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "assay/problem.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::properties {

class Operation;

/// The problem with each subnormal half or float of that input, or of all, in its place a zero of its sign.
Problem with_flushed(const Problem& problem, std::string_view input);
Problem with_flushed(const Problem& problem);
/// Whether there are any.
bool has_subnormals(const Tensor& tensor);

/// Adds the answers of another expectation of the same output, and all between.
void widen(const Expectation& other, Expectation& expected);
/// The same of element `i` alone.
void widen(const Expectation& other, std::size_t i, Expectation& expected);

/// What is right for a problem: Operation::expect(), and where subnormals may be flushed what an answer may
/// then be beside that. Operations whose answers are sums widen them term by term; for any other, inputs are
/// kept or flushed all together, and a subnormal result may be zero. Throws as Operation::expect().
std::vector<Expectation> right_answers(const Operation& operation, const Problem& problem,
                                       const Arithmetic& arithmetic);

}  // namespace assay::properties
