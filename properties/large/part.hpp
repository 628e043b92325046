// A part of a problem, cut out of it as a problem of its own: what is right for some rows and columns follows
// from few of the inputs' elements.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {

struct CutProblem {
  Problem problem;                     ///< of the same operation, whole
  Part part;                           ///< what it is of the other: at least what was asked for
  std::map<std::string, Taken> taken;  ///< by input
};

/// The part with its ranges widened to where tensors can be cut: packed words, groups and tiles stay in one
/// piece. `dims` are those of the whole problem.
Part widened(const Operation& operation, const Dims& dims, const Part& part);

/// Whether all tensors can be cut along a dimension: compressed data where the operation says how, and sums
/// over what is hidden in them not.
bool can_cut(const Operation& operation, const Dims& dims, const Dimension& dimension);

/// Cuts the part out, of an ordinary problem or of one whose tensors repeat a pattern. Ranges are
/// `widened`. Throws std::invalid_argument where a tensor cannot be cut along a dimension of the part.
CutProblem cut_out(const Operation& operation, const Problem& problem, const Part& part);

/// Of each element of an output of the cut problem: which one it is in the whole problem's output, or nothing
/// where it lies outside the part that was asked for.
std::vector<std::optional<std::size_t>> places_in(const Operation& operation, const Problem& whole,
                                                  const CutProblem& cut, const Part& asked,
                                                  const std::string& output);

/// What is right for the outputs of a part, of what is right for the whole. It is that where the part has a
/// range of no dimension that sums run over.
Expectation cut_out(const Operation& operation, const Problem& whole, const CutProblem& cut,
                    const Expectation& expected);

/// Smaller parts, the most drastic first: of each range the halves, then all but a quarter, an eighth, ... at
/// either end. Along dimensions along which tensors cannot be cut there are none. `whole`: the dimensions of
/// the problem that it is a part of.
std::vector<Part> smaller_parts(const Operation& operation, const Dims& whole, const Part& part);

}  // namespace assay::properties
