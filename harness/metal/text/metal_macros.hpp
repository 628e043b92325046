// What Apple's compiler says of itself to the preprocessor, and what clang would say in its place.
#pragma once

#include <string>
#include <vector>

namespace assay::metal {

/// Arguments of clang that define macros as Apple's compiler does (Metal 3.2, macOS), so that `#if` goes the
/// same way.
std::vector<std::string> metal_macros();

}  // namespace assay::metal
