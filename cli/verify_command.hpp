// A verification as `assay verify` tells of it.
#pragma once

#include <functional>
#include <string>

#include "cli/arguments.hpp"
#include "harness/run/verifier.hpp"

namespace assay::cli {

/// Runs and prints it; gives the exit status. `more`: of each kernel, what is printed behind the summary.
int verify_and_tell(const VerifyArguments& arguments,
                    const std::function<std::string(const run::KernelReport&)>& more);

}  // namespace assay::cli
