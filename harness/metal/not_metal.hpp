// C++ that Metal does not have, and that g++ would take.
#pragma once

#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// Throws CompileError for `double`, and for functions that call themselves, straight or by way of others. Of
/// functions that are overloaded, are templates or share a name with the library, names do not say which one
/// is called: those are let pass.
void refuse_what_metal_lacks(const TokenText& text, const std::vector<Declaration>& declarations);

}  // namespace assay::metal
