// Address spaces, held against each other: by a reading of its own, since all memory is one space to what
// compiles kernels. Clang's types stay within this folder.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Reads a text as C++ for OpenCL, whose spaces stand for Metal's (stdlib/assay/spaces.h): the first place,
/// of what is used, where a pointer or a reference to one of them would become one to another, and what clang
/// says there. `of_library`: names that the library has, too: which of the functions is meant nobody knows
/// here.
std::optional<Diagnostic> mixed_spaces(const ReadRequest& request, const std::string& text,
                                       const TextRanges& used, const std::set<std::string>& of_library);

}  // namespace assay::metal
