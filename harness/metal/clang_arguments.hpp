// How clang is told what Metal means by a text that lowering has made C++.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/metal/toolchain.hpp"

namespace assay::metal {

/// Arguments of `clang -cc1` for a flavour and an arithmetic, without input, output and folders.
std::vector<std::string> clang_arguments(Flavour flavour, Numerics numerics);

/// Runs clang over one text; `checked`: with the hooks of the checker.
std::vector<std::string> clang_command(const Toolchain& tools, const std::vector<std::string>& arguments,
                                       const std::filesystem::path& text, const std::filesystem::path& output,
                                       bool checked);

/// The stand-in library, as it is for these arguments, read ahead of all texts.
std::filesystem::path clang_prelude(Flavour flavour, const std::vector<std::string>& arguments,
                                    const Toolchain& tools);

}  // namespace assay::metal
