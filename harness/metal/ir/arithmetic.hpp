// What the modes of arithmetic do to a kernel (docs/numerics.md), beside the flags that clang puts on
// operations.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace assay::metal {

/// Modes of arithmetic, as device::Numerics has them.
enum class Arithmetic { strict, contracted, reassociated, relaxed, approximate, flushed };

/// Operations lose the flags that a pragma of the text forbids. Behind inlining, which brings operators of
/// the library to where they are asked for, and ahead of all that looks at flags.
void obey_pragmas(llvm::Module& module, Arithmetic mode, const std::string& library);

/// Contracts (contract.hpp), changes quotients (quotients.hpp) or flushes (flush.hpp). Behind SROA: operands
/// are values.
void change_arithmetic(llvm::Module& module, Arithmetic mode, const std::string& library);

}  // namespace assay::metal
