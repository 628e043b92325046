// The inputs of a case that are small enough to be read. A case that was made simpler often has one element
// of each, and their values say more than any diagnosis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/problem.hpp"

namespace assay {

/// So many elements are read at a glance.
inline constexpr std::size_t kMostShownInputs = 16;

/// An input of a case, as people read it.
struct InputText {
  std::string tensor, dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::string> values = {};  ///< row by row; none of an input of more than kMostShownInputs

  std::uint64_t elements() const;
};

/// All inputs of a problem, or nothing if each of them is too large to be read. Unsigned numbers are
/// hexadecimal where one is above 9,999: such a word mostly is packed from codes.
std::vector<InputText> small_inputs(const Problem& problem);

}  // namespace assay
