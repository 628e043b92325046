// Addresses that become numbers. Device memory has addresses that mean something; where a thread keeps its
// own variables is nobody's business, and differs from one mode to the next.
#pragma once

#include <llvm/IR/Module.h>

#include <set>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Casts of addresses to numbers at those places call assay_address_as_number(), which ends a thread that has
/// its own variables, or constants, become one. The module is as clang has made it.
void announce_addresses(llvm::Module& module, const std::set<Diagnostic::Place>& casts);

}  // namespace assay::metal
