// What a verification is to run: from words to modes and kernels.
#pragma once

#include <string>
#include <vector>

#include "harness/run/verifier.hpp"

namespace assay::run {

/// What is asked for, as on a command line.
struct Request {
  std::string mode = "both";      ///< "fast", "checked" or "both"
  std::string numerics = "all";   ///< "all": all but "relaxed" and "flushed"; or one
  bool flush_subnormals = false;  ///< "flushed" beside what else is asked for
  bool named = false;             ///< the kernels were: each of them must be run
  bool exhaustive = false;
  properties::WordRange words = {};
  std::vector<std::string> at = {};  ///< "M=1,N=4096,K=4096": VerifyOptions::shapes
  /// Of small problems all schedules, in place of drawn cases: "all", or for as long as "90", "30s", "10m".
  std::string schedules = {};
  std::string golden = {};     ///< a directory of golden files, in place of cases
  VerifyOptions options = {};  ///< all else
};

struct Plan {
  std::vector<const KernelEntry*> kernels;
  VerifyOptions options;
  std::vector<std::string> left_out;  ///< a line on each kernel that cannot be run so
};

/// Of these kernels, those that can be run as asked. Strict arithmetic runs in the simulator's modes asked
/// for, any other in fast mode: what the checker sees does not depend on rounding. Throws
/// std::invalid_argument, which names the option, where nothing can be run, or a kernel that was named
/// cannot, and golden::FormatError where a golden file is damaged.
Plan plan(const Request& request, std::vector<const KernelEntry*> chosen);

}  // namespace assay::run
