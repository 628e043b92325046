// Other problems, and other orders of the answers, that explain a wrong result: where a kernel gives bit for
// bit what would be right had a scale been 1, or had two columns been exchanged, that says what it does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "harness/verify/compare.hpp"
#include "properties/cases/traits.hpp"

namespace assay::properties {

/// What a kernel may have solved in place of what it was given.
struct Counterfactual {
  std::string words;  ///< after "The kernel behaves as if ": "scales were all 1"
  Problem problem;    ///< possibly of another operation, with the same outputs
};

/// What a kernel gives that does another thing with the problem itself.
struct OtherAnswers {
  std::string words;                  ///< as Counterfactual::words
  std::vector<Expectation> expected;  ///< as Operation::expect() gives them
};

/// Those that any operation has, from its tensors alone: a floating-point input, or all that end alike behind
/// different prefixes, of ones, of zeros, rounded to integers, without its signs, or with its first row in
/// every row or its first column in every column; two of one shape exchanged, or one multiplied by the other;
/// inputs whose names begin with different prefixes and end alike exchanged; neighbouring columns of a matrix
/// exchanged.
std::vector<Counterfactual> counterfactuals_of(const Problem& problem);

/// Another arithmetic than the manifest declares.
struct OtherArithmetic {
  std::string words;  ///< as Counterfactual::words
  Arithmetic arithmetic;
};

/// Those with one declared precision changed that decides what values are, rather than how far sums may be
/// off.
std::vector<OtherArithmetic> other_arithmetics(const Arithmetic& declared);

/// Another order of the answers of one output.
struct Reordering {
  std::string words;  ///< as Counterfactual::words
  Expectation expected;
};

/// Neighbouring columns or rows exchanged, 8 x 8 pieces transposed, columns of a piece reversed, in an output
/// of that shape; elements whose partner is outside keep their place.
std::vector<Reordering> reorderings_of(const Expectation& expected, Matrix shape);

/// Whether the outputs that `seen` compares with `expected` may be those that `other` expects: wrong elements
/// lie in the other intervals, and right ones may.
bool agrees(const Comparison& seen, const Expectation& expected, const Expectation& other);

/// The same where something is wrong. Nothing wrong explains nothing.
bool explains(const Comparison& seen, const Expectation& expected, const Expectation& other);

/// Whether it tells something that `other` explains `seen`: for a wrong element it expects a number, and not
/// just any. Damaged data explain every NaN.
bool tells(const Comparison& seen, const Expectation& other);

}  // namespace assay::properties
