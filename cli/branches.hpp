// Which conditions of a kernel's text its cases saw both true and false.
#pragma once

#include <string>

#include "cli/child.hpp"
#include "cli/verifier.hpp"

namespace assay::cli {

/// Compiles the kernel once more, with every condition noting what it was, and runs the cases of a
/// verification on it, in fast mode and judging nothing. Lines for people: how many conditions were seen both
/// ways, and each that was not. Announces each case. To be called once in a process.
std::string branches_text(const verify::KernelEntry& entry, const VerifyOptions& options,
                          const Reporter& reporter);

}  // namespace assay::cli
