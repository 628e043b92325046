// The types that Metal's library has, as the stand-in headers declare them.
#pragma once

#include <string_view>
#include <unordered_set>

namespace assay::metal {

/// Names of types at global scope and in namespace metal. Collected from the headers when Assay is built (collect_types/main.cpp), after the preprocessor, which makes most of them:
/// `packed_half4`, `simdgroup_float8x8`, `atomic_uint`, `texture2d`.
const std::unordered_set<std::string_view>& library_types();

}  // namespace assay::metal
