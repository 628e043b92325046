// What the compiler said, as one error at a place in the user's text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/metal/function_constants.hpp"

namespace assay::metal {

/// Where errors that have no place of their own are put, and what else may be to blame.
struct CompiledText {
  std::string main_file;
  std::filesystem::path stdlib;                        ///< the stand-in headers
  std::vector<UndefinedConstant> undefined_constants;  ///< those of the text
};

/// Throws the first error of a compiler's output. One inside the stand-in headers is put where the user's
/// text led there; one that names a part of Metal that is missing, or a function constant without a value,
/// becomes UnsupportedFeature, any other CompileError.
[[noreturn]] void throw_compile_error(const std::string& output, const CompiledText& text);

/// Throws UnsupportedFeature if compiled code is left with a use of a function constant without a value.
void check_constants(const std::string& object, const CompiledText& text);

}  // namespace assay::metal
