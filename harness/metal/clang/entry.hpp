// What stands behind a kernel's text: how its parameters are filled. Clang's types stay within this folder.
#pragma once

#include <string>
#include <vector>

#include "harness/metal/clang/function_constants.hpp"
#include "harness/metal/clang/kernels.hpp"

namespace assay::metal {

/// C++ that hands a lane's position and the bound buffers to the kernel (stdlib/assay/entry.h), and tables of
/// what it asks for, which harness/metal/module.cpp reads. Says what is wrong with its parameters. `slots`:
/// names of variables in threadgroup memory.
std::string entry_of(const clang::ASTContext& context, const Kernel& kernel, const LeftOut& left_out,
                     const FunctionConstants& constants, const std::vector<std::string>& slots,
                     std::vector<Diagnostic>& errors);

}  // namespace assay::metal
