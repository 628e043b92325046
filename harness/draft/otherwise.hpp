// Whether a fault is there whatever has been guessed: launches with other guesses in place of each.
#pragma once

#include "harness/draft/draft.hpp"

namespace assay::draft {

/// What one threadgroup does with other threads, sizes and contents, in buffers with room to spare.
struct Otherwise {
  bool stands = false;  ///< the fault is there each time: it hangs on none of them
  enum class Without {
    usual,     ///< the sizes that are measured have it not
    sizes,     ///< others have it not
    grid,      ///< one threadgroup has it not
    contents,  ///< other contents of inputs have it not
    threads,   ///< `threads` have it not
    nothing,   ///< it stands, or nothing could be tried
  };
  Without without = Without::nothing;
  device::Size3 threads = {1, 1, 1};
};

/// Runs the launches, confined, with every access checked, in seconds. The same fault: of its kind, at its
/// place.
Otherwise otherwise(const Draft& draft, const device::Fault& fault);

}  // namespace assay::draft
