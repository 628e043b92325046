// `constant bool flag [[function_constant(0)]];`
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// A function constant that the manifest gives no value.
struct UndefinedConstant {
  std::uint32_t index = 0;
  std::string name;
  std::string file;
  std::uint32_t line = 0;

  /// What code that uses it is left asking for: such code cannot be run.
  std::string symbol() const { return "assay_undefined_constant_" + std::to_string(index); }
};

/// The function constants of the declarations.
struct FunctionConstants {
  std::vector<std::uint32_t> indices;        ///< all of them, those with a value too
  std::vector<UndefinedConstant> undefined;  ///< those without
};

/// Gives every function constant of the declarations its literal, and each
/// is_function_constant_defined() its answer. One that has no value may be declared and asked for; it is
/// declared as a variable that is nowhere, so that only code that is left with a use of it fails.
/// Throws UnsupportedFeature where an index cannot be worked out, CompileError where a literal is
/// none.
FunctionConstants define_function_constants(TokenText& text, const std::vector<Declaration>& declarations,
                                            const std::map<std::uint32_t, std::string>& values);

}  // namespace assay::metal
