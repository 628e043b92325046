// What a draft cannot be: what somebody told of something that the kernel does not have, and names that a
// manifest cannot tell apart.
#pragma once

#include <set>
#include <string>

#include "harness/draft/draft.hpp"

namespace assay::draft {

/// Throws std::invalid_argument at the parameter's line of the kernel.
[[noreturn]] void refuse(const device::KernelSource& source, const Parameter& one, const std::string& why);

/// Throws std::invalid_argument with the option that tells of a buffer, texture, scalar or dimension that is
/// not there. `known`: the names of parameters and of their fields; `used_scalars`: those for which a value
/// was told.
void refuse_unused(const Told& told, const Draft& draft, const std::set<std::string>& known,
                   const std::set<std::string>& used_scalars);

/// Throws std::invalid_argument where a buffer is called as a dimension is.
void refuse_dimensions_of_buffers(const Draft& draft);

}  // namespace assay::draft
