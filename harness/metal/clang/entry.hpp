// What stands behind a kernel's text: how its parameters are filled. Clang's types stay within this folder.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/metal/clang/kernels.hpp"

namespace assay::metal {

/// C++ that hands a lane's position and the bound buffers to the kernel (stdlib/assay/entry.h), and tables of
/// what it asks for, which harness/metal/module/module.cpp reads. Says what is wrong with its parameters.
/// `constants`: indices of the function constants that it uses. `slots`: names of variables in threadgroup
/// memory. `all_coherent`: device memory is, whatever is declared.
std::string entry_of(clang::ASTContext& context, const Kernel& kernel, const LeftOut& left_out,
                     const std::set<std::uint32_t>& constants, const std::vector<std::string>& slots,
                     bool all_coherent, std::vector<Diagnostic>& errors);

}  // namespace assay::metal
