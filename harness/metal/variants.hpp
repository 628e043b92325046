// Many variants of one kernel compiled at once: what mutation testing needs to be quick.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/metal/module.hpp"

namespace assay::metal {

/// A variant, or why there is none.
struct CompiledVariant {
  std::shared_ptr<const KernelModule> module;
  std::string error;     ///< one line; empty where there is a module
  bool gave_up = false;  ///< the compiler ended with no word on the text, as for want of time or memory
  /// Of the fast flavour, what Assembly::canonical() gives: variants with the same code are the same program.
  /// Empty where it says nothing. What is compiled beside a variant may change it.
  std::string code;
};

/// How variants are compiled.
struct VariantOptions {
  Flavour flavour = Flavour::fast;
  Numerics numerics = Numerics::strict;
  bool count_steps = false;  ///< of loops (loop_steps.hpp); `code` is then that of a kernel that counts
};

/// Compiles variants of what preprocess() gave for `source` into one object, each in a namespace of its own
/// and optimised a little less than compile() would; those that the compiler refuses are left out, the others
/// are not affected. The modules tell no source places. Nothing is cached. Throws ToolchainError.
std::vector<CompiledVariant> compile_variants(const device::KernelSource& source,
                                              const std::vector<std::string>& texts, VariantOptions options,
                                              const Toolchain& tools = toolchain());

/// The optimised object file of this text alone, fast flavour: where two texts give the same bytes, they are
/// the same program. Throws CompileError, UnsupportedFeature or ToolchainError.
std::string object_code(const device::KernelSource& source, const std::string& text,
                        Numerics numerics = Numerics::strict, const Toolchain& tools = toolchain());

}  // namespace assay::metal
