// Values of one group taken for those of another: a fault that every format with groups along K can have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "properties/diagnosis/counterfactual.hpp"

namespace assay::properties {

/// Tensors [ceil(K / group_size), N] of a problem whose group size is the dimension "group_size".
struct Grouped {
  std::vector<std::string> tensors;  ///< those that the problem lacks are passed over
  std::size_t K = 0, N = 0, group_size = 0;
  /// What k may have been rounded down to, by size and name; sizes of 0 are passed over.
  struct Cut {
    std::size_t size = 0;
    std::string name;
  };
  std::vector<Cut> cuts = {};
};

/// For each of the tensors: its values were those of the group in which a cut starts, of the next group, of
/// the group before. The problems have groups of 8, so that any group can be given the values of any other.
std::vector<Counterfactual> group_counterfactuals(const Problem& problem, const Grouped& grouped);

}  // namespace assay::properties
