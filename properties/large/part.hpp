// A part of a problem, cut out of it as a problem of its own: what is right for some rows and columns follows
// from few of the inputs' elements.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/verify/problem.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {

struct CutProblem {
  Problem problem;                     ///< of the same operation, whole
  Part part;                           ///< what it is of the other: at least what was asked for
  std::map<std::string, Taken> taken;  ///< by input
};

/// Cuts the part out, of an ordinary problem or of one whose tensors repeat a pattern. Ranges are widened to
/// where tensors can be cut: packed words, groups and tiles stay in one piece. Throws std::invalid_argument
/// where a tensor cannot be cut along a dimension of the part.
CutProblem cut_out(const Operation& operation, const Problem& problem, const Part& part);

/// Of each element of an output of the cut problem: which one it is in the whole problem's output, or nothing
/// where it lies outside the part that was asked for.
std::vector<std::optional<std::size_t>> places_in(const Operation& operation, const Problem& whole,
                                                  const CutProblem& cut, const Part& asked,
                                                  const std::string& output);

}  // namespace assay::properties
