// Which conditions of a kernel's text its cases saw both true and false.
#pragma once

#include <functional>
#include <string>

#include "cli/verifier.hpp"

namespace assay::cli {

/// Compiles the kernel once more, with every condition noting what it was, and runs the cases of a
/// verification on it, in fast mode and judging nothing. Lines for people: how many conditions were seen both
/// ways, and each that was not. `before_each` is called before each case. To be called once in a process.
std::string branches_text(const verify::KernelEntry& entry, const VerifyOptions& options,
                          const std::function<void(std::uint64_t index)>& before_each);

}  // namespace assay::cli
