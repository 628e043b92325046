// A second reading of a kernel's text: as OpenCL, from which clang knows address spaces.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/metal/token.hpp"
#include "harness/metal/toolchain.hpp"

namespace assay::metal {

/// The text of a kernel, pruned and nothing else, in the words of OpenCL: `__global` for `device` and so on.
std::string text_with_spaces(TokenText text);

/// Throws CompileError where clang says that a pointer or reference to one address space is given one to
/// another. All else that it says is passed over: it lacks Metal's library. Throws
/// it, too, where clang does not end by itself.
void refuse_mixed_spaces(const std::string& text, const std::filesystem::path& main_file,
                         const Toolchain& tools);

/// What it says of address spaces in `output`, of clang's; nothing where it says none. A "file:line" and a
/// message in Metal's words.
struct MixedSpaces {
  std::string file;
  std::uint32_t line = 0;
  std::string message;
};
std::optional<MixedSpaces> mixed_spaces(const std::string& output);

}  // namespace assay::metal
