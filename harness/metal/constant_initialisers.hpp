// Variables outside of functions must be constants: nothing of a kernel's runs before the kernel does, and
// nothing of it stays behind.
#pragma once

#include <vector>

#include "harness/metal/declaration.hpp"
#include "harness/metal/token.hpp"

namespace assay::metal {

/// Marks variables in namespace scope and `static` ones in functions `constinit`, so that the compiler
/// refuses an initialiser that it would have to compute while the object is loaded, at its line (Metal asks
/// for core constant expressions there). What is not recognised as such a variable is found in the object
/// (object_guard.hpp).
/// What can be written to is refused: Metal has such variables inside functions and in threadgroup memory
/// only. Throws CompileError.
void demand_constant_initialisers(TokenText& text, const std::vector<Declaration>& declarations);

}  // namespace assay::metal
