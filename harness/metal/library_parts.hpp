// Parts of the stand-in library that only some kernels see, and how they are asked for.
#pragma once

#include <string>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

struct LibraryParts {
  bool distributed_matrices = false;  ///< for what uses thread_elements()
  bool textures = false;              ///< and samplers

  /// What all of several kernels need.
  LibraryParts& operator|=(const LibraryParts& other);
  /// Options of the compiler.
  std::vector<std::string> flags() const;
};

/// What a text names. The names of textures and of tensors are common words, which a kernel that needs
/// neither may have for something of its own.
LibraryParts parts_named_in(const TokenText& text);

}  // namespace assay::metal
