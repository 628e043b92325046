// The function through which the simulator runs a kernel: C++ for stdlib/assay/entry.h.
#pragma once

#include <string>
#include <vector>

#include "harness/metal/function_constants.hpp"
#include "harness/metal/signature.hpp"

namespace assay::metal {

/// Metal text (address spaces and all) that defines assay_kernel_entry and assay_kernel_parameters for a
/// kernel, in the kernel's own namespace. `instantiation` may be null. `undefined`: function constants
/// without a value. `shapes`: the table of parameters says what the memory behind each holds
/// (argument_buffers.hpp). Throws UnsupportedFeature or CompileError for parameters that nothing can be bound
/// to.
std::string entry_point(const TokenText& text, const Declaration& declaration, const KernelFunction& kernel,
                        const KernelInstantiation* instantiation,
                        const std::vector<UndefinedConstant>& undefined, bool shapes = false);

}  // namespace assay::metal
