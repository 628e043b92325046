// Parts of the stand-in library that only some kernels see, and how they are asked for.
#pragma once

#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/device/metal_version.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {

struct LibraryParts {
  bool distributed_matrices = false;  ///< for what uses thread_elements()
  bool textures = false;              ///< and samplers
  bool tensors = false;               ///< of Metal 4, and matmul2d
  /// Templates of the text itself take descriptors of matmul2d, which C++20 has and C++17 has not. The
  /// library takes them as numbers, so that most kernels are compiled in the language that they are written
  /// in.
  bool descriptors_as_arguments = false;
  bool granted = false;  ///< functions and quotients that fast math has tables for (Numerics::approximate)
  unsigned metal_version = device::kMetalVersion;  ///< that the library is one of

  /// Options of the compiler, in that arithmetic.
  std::vector<std::string> flags(Numerics numerics) const;
};

/// What a text names, whichever of its kernels does. The names of textures and of tensors are common words,
/// which a kernel that needs neither may have for something of its own.
LibraryParts parts_named_in(const TokenText& text, const device::KernelSource& source);

}  // namespace assay::metal
