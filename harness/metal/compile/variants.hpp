// Many variants of one kernel compiled at once: what mutation testing needs to be quick.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/metal/module/module.hpp"

namespace assay::metal {

/// A variant, or why there is none.
struct CompiledVariant {
  std::shared_ptr<const KernelModule> module;
  std::string error;     ///< one line; empty where there is a module
  bool gave_up = false;  ///< the compiler ended with no word on the text, as for want of time or memory
  /// The bytes of its object, in which no places stand: where two texts of one interface have the same, they
  /// are the same program.
  std::string code;
};

/// How variants are compiled.
struct VariantOptions {
  Flavour flavour = Flavour::fast;
  Numerics numerics = Numerics::strict;
  bool count_steps = false;  ///< of loops (ir/steps.hpp); `code` is then that of a kernel that counts
  bool compared = false;     ///< `code` is of a kernel whose calls are inlined
  bool unrolled = false;     ///< and whose loops are unrolled: more texts of one program have one code
  bool quick = false;        ///< takes less than half the time to compile, and more to run
};

/// Compiles variants of what preprocess() gave for `source`, as compile() would; what the compiler refuses
/// has no module, and the others are not affected. The modules tell no source places. Nothing is cached.
/// Throws ToolchainError.
std::vector<CompiledVariant> compile_variants(const device::KernelSource& source,
                                              const std::vector<std::string>& texts, VariantOptions options,
                                              const Toolchain& tools = toolchain());

}  // namespace assay::metal
