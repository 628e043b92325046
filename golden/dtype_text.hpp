// Types of elements as safetensors files write them.
#pragma once

#include <algorithm>
#include <string_view>

#include "golden/safetensors_format.hpp"

namespace assay::golden {

/// "F16".
inline std::string_view dtype_text(DType dtype) {
  return std::find_if(kDTypeNames.begin(), kDTypeNames.end(),
                      [&](const auto& one) { return one.first == dtype; })
      ->second;
}

}  // namespace assay::golden
