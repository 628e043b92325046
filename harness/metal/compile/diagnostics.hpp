// What the compiler said, as one error at a place in the user's text.
#pragma once

#include <filesystem>
#include <string>

namespace assay::metal {

/// Where errors that have no place of their own are put.
struct CompiledText {
  std::string main_file;
  std::filesystem::path stdlib;  ///< the stand-in headers
};

/// Throws the first error of a compiler's output. One inside the stand-in headers is put where the user's
/// text led there; one that names a part of Metal that is missing becomes UnsupportedFeature, any other
/// CompileError.
[[noreturn]] void throw_compile_error(const std::string& output, const CompiledText& text);

}  // namespace assay::metal
