// The end of a command that somebody interrupted.
#pragma once

#include <string>

#include "cli/progress_line.hpp"
#include "harness/process/interrupt.hpp"

namespace assay::cli {

/// Says on standard error what was done so far, and gives the exit status: 130 for Ctrl-C, as of a shell.
int interrupted(const process::Interrupted& by, const std::string& so_far);

/// What `work` returns. Interrupted, it takes the line back, says what `so_far()` gives, and returns that
/// exit status; `so_far` may print results first.
template <class Work, class SoFar>
int tell_if_interrupted(ProgressLine& line, const Work& work, const SoFar& so_far) {
  try {
    return work();
  } catch (const process::Interrupted& by) {
    line.take_back();
    return interrupted(by, so_far());
  }
}

}  // namespace assay::cli
