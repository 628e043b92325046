// Words of `requires` that are of values, not of a dimension: what a kernel is never given, and what it needs
// of arithmetic.
#pragma once

#include <string_view>

namespace assay {

/// Subnormals are kept: the kernel is not right where arithmetic flushes them to zero, and not run so.
inline constexpr std::string_view kSubnormals = "subnormals";

/// "signs": trellis factors su and sv are +1 or -1. "known_experts": expert ids are below num_experts. And
/// kSubnormals. Each is asked for as `NAME = 1`.
bool is_value_requirement(std::string_view name);

}  // namespace assay
