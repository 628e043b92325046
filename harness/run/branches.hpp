// Which conditions of a kernel's text its cases saw both true and false.
#pragma once

#include <string>

#include "harness/process/child.hpp"
#include "harness/run/verifier.hpp"

namespace assay::run {

/// Compiles the kernel once more, with every condition noting what it was, and runs the cases of a
/// verification on it, in fast mode and judging nothing. Lines for people: how many conditions were seen both
/// ways, and each that was not. Announces each case. To be called once in a process.
std::string branches_text(const KernelEntry& entry, const VerifyOptions& options,
                          const process::Reporter& reporter);

}  // namespace assay::run
