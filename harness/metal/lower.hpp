// Metal to C++: rewrites the tokens of one kernel and of what it calls, line by line.
//
// What changes: overloads that address spaces alone tell apart are one, ext_vector_type typedefs become what
// the stand-in library has, functions of Apple's compiler get its names. Clang reads everything else as it is
// written (clang/attributes.hpp), and all stays on its line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/device/metal_version.hpp"
#include "harness/metal/library_parts.hpp"
#include "harness/metal/token.hpp"
#include "harness/metal/toolchain.hpp"

namespace assay::metal {

struct LoweringRequest {
  std::string function = {};                       ///< kernel name or host_name
  bool with_spaces = false;                        ///< give LoweredKernel::with_spaces
  unsigned metal_version = device::kMetalVersion;  ///< as __METAL_VERSION__ has it
};

struct LoweredKernel {
  std::string text;              ///< C++ for `#include "assay/metal.h"`, with line markers
  LibraryParts parts;            ///< of the library, that it needs
  std::string with_spaces = {};  ///< for refuse_mixed_spaces() (second_reader.hpp)
};

/// Lowers one kernel out of preprocessed text. Whatever it does not use is dropped.
/// Throws CompileError (no such kernel: lists those there are) or UnsupportedFeature.
LoweredKernel lower(TokenText text, const LoweringRequest& request);

/// Which tokens lower() would keep: those of the kernel, and of what it uses, less those of pieces that
/// nobody wrote (device::SourcePiece). Throws as lower() does.
std::vector<bool> live_tokens(const TokenText& text, const LoweringRequest& request);

}  // namespace assay::metal
