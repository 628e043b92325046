// A verification as `assay verify` tells of it.
#pragma once

#include <functional>
#include <string>

#include "cli/arguments.hpp"
#include "harness/run/verifier.hpp"

namespace assay::cli {

/// What a command adds to a verification. Both may be empty.
struct Afterthought {
  std::function<std::string(const run::KernelReport&)> more;  ///< of each kernel, printed behind the summary
  /// May take a verdict back, before anybody reads it.
  std::function<void(run::KernelReport&)> judge;
};

/// Runs and prints it; gives the exit status.
int verify_and_tell(const VerifyArguments& arguments, const Afterthought& afterthought);

}  // namespace assay::cli
