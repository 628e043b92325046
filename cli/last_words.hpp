// The end of a command that somebody interrupted.
#pragma once

#include <string>

#include "cli/output.hpp"
#include "harness/process/interrupt.hpp"

namespace assay::cli {

/// Says on standard error what was done so far, and gives the exit status: 130 for Ctrl-C, as of a shell.
int interrupted(const process::Interrupted& by, const std::string& so_far);

/// What `work` returns; interrupted, what `so_far()` says was done and that exit status.
template <class Work, class SoFar>
int tell_if_interrupted(const Work& work, const SoFar& so_far) {
  try {
    return work();
  } catch (const process::Interrupted& by) {
    return interrupted(by, so_far());
  }
}

}  // namespace assay::cli
