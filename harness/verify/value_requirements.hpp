// Words of `requires` that are of values, not of a dimension: what a kernel is never given.
#pragma once

#include <string_view>

namespace assay {

/// "signs": trellis factors su and sv are +1 or -1. "known_experts": expert ids are below num_experts. Each
/// is asked for as `NAME = 1`.
bool is_value_requirement(std::string_view name);

}  // namespace assay
