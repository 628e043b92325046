// What Metal has not of calls: recursion, pointers to functions; and calls that the library refuses.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Functions that call themselves, by way of others too; of the module as it was read.
std::vector<Diagnostic> recursion_in(const llvm::Module& module, const std::string& library);

/// Of a module that is optimised: calls through pointers, addresses of functions that are used as values, and
/// calls of what is declared with an `error` attribute.
std::vector<Diagnostic> refused_calls_in(const llvm::Module& module, const std::string& library);

/// Values of variables that only code which runs when the object is loaded could compute.
std::vector<Diagnostic> code_at_load_in(const llvm::Module& module, const std::string& library);

}  // namespace assay::metal
