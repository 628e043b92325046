// The loops of a text.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// The lines of a loop in its file.
struct LoopLines {
  std::uint32_t first = 0, last = 0;  ///< of its first word and of its last token
  /// It calls one function, atomic loads aside: so it only waits if that function is an atomic.
  bool calls_one = false;
};

/// Every loop of the text, in no order.
std::vector<LoopLines> loops_of(const TokenText& text);

}  // namespace assay::metal
