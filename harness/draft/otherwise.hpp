// Whether a fault is there whatever has been guessed: launches with other guesses in place of each.
#pragma once

#include <optional>
#include <string>

#include "harness/draft/draft.hpp"

namespace assay::draft {

/// What one threadgroup does with other threads, sizes and contents, in buffers with room to spare.
struct Otherwise {
  bool stands = false;  ///< the fault is there each time: it hangs on none of them
  enum class Without {
    usual,     ///< the sizes that are measured have it not
    sizes,     ///< others have it not
    number,    ///< it is not there where `number` is `value`, and all else as it is measured
    grid,      ///< one threadgroup has it not
    contents,  ///< other contents of inputs have it not
    threads,   ///< `threads` have it not
    nothing,   ///< it stands, or nothing could be tried
  };
  Without without = Without::nothing;
  device::Size3 threads = {1, 1, 1};
  /// A dimension that alone decides: the fault is not there where it is `value`. Of Without::number, and of
  /// other sizes where the case that fails tells.
  std::string number = {};
  std::int64_t value = 0;
  /// Likewise the axis of the grid along which one threadgroup has it not.
  std::optional<unsigned> axis = {};
};

/// Runs the launches, confined, with every access checked, in seconds. The same fault: of its kind, at its
/// place. `test_case`: that the fault was found in, "buffers M=1 N=129".
Otherwise otherwise(const Draft& draft, const device::Fault& fault, const std::string& test_case);

}  // namespace assay::draft
