// One kernel on somebody's own tensors: `assay replay --inputs FILE --kernel NAME`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/run/replay_line.hpp"

namespace assay::run {

/// As on a command line.
struct OwnInputs {
  std::string file, kernel;
  std::optional<std::string> manifest = {};
  std::string mode = "fast", numerics = "strict";
  std::string at = {};  ///< dimensions: "M=1,group_size=128"
};

struct OwnReplay {
  ReplayLine line;                 ///< of a case whose golden file is that file, and whose regime kOwnRegime
  std::vector<std::string> notes;  ///< what was taken for granted (golden/own_tensors.hpp)
};

/// Reads the file as the inputs of `entry`, the kernel that is named. Throws golden::FormatError that says
/// what is wrong with the file, and std::invalid_argument: `at` says no dimensions, or those of the file are
/// none that the kernel takes.
OwnReplay own_replay(const OwnInputs& inputs, const KernelEntry& entry);

}  // namespace assay::run
