// The headers that stand ahead of every lowered kernel, compiled once for each set of flags: reading them
// takes longer than most kernels do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/metal/toolchain.hpp"

namespace assay::metal {

/// The lines that include them. Part of what a kernel is made from, and so of its name in the cache.
std::string prelude_text(Flavour flavour);

/// Compiler arguments that put them ahead of a text that is compiled with `flags`. The first call with these
/// flags precompiles them into the cache; where the compiler does not do that, they are read as text.
/// Throws ToolchainError.
std::vector<std::string> include_prelude(Flavour flavour, const std::vector<std::string>& flags,
                                         const Toolchain& tools);

/// The files that a compiler reads for those arguments.
std::vector<std::filesystem::path> prelude_files(const std::vector<std::string>& arguments);

}  // namespace assay::metal
