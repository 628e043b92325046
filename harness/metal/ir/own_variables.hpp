// Variables of a thread's own that are declared without a value: the checker is told of them, and then knows
// which of their bytes have been written.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace assay::metal {

/// Has each tell the checker where it lives, from its declaration to the end of its scope. Of a module as it
/// was read, with the names of variables. What has a constructor has a value; pointers are left out, and
/// variables of the library's functions.
void announce_own_variables(llvm::Module& module, const std::string& library);

}  // namespace assay::metal
