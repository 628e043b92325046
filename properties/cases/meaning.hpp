// A word of a manifest's `semantics`: what a kernel means that is other than what is documented, and not
// wrong.
#pragma once

#include <string>
#include <vector>

#include "harness/verify/storage.hpp"

namespace assay::properties {

struct Meaning {
  std::string field;  ///< what it is said of: "scales"
  std::string usual;  ///< the word for what is documented: "groups x N"
  std::string word;   ///< the other: "N x groups"
  /// How these tensors are kept, where the word is of their layout: values stay what they are. Where it is of
  /// values, Operation::expect asks for it (Arithmetic::means).
  Storages storages = {};
  /// Inputs whose NaN and infinities then need not reach outputs: no law says that they do.
  std::vector<std::string> hides = {};
  bool half_sums = false;  ///< sums then pass through halves, where large ones are infinite
};

}  // namespace assay::properties
