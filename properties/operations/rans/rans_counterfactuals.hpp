// Decoders of rANS weights with faults that are known of such decoders: where a kernel gives what one of them
// would, that says what is wrong with it. One wrong symbol spoils all that follow and the checksum of its
// stream, so that no coordinate of wrong elements tells.
#pragma once

#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "reference/rans_matrix.hpp"

namespace assay::properties {

/// What such a decoder makes of a problem.
struct OtherDecoding {
  std::string words;  ///< after "The kernel behaves as if ": "a step read one byte at most"
  reference::RansTiles tiles;
};

/// One for each fault: steps that read too few bytes or too many, slots and tables that are off by one or a
/// bit, checks that are left out, symbols that are laid out or dealt out otherwise.
std::vector<OtherDecoding> other_decodings(const Problem& problem);

}  // namespace assay::properties
