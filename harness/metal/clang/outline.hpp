// What a text says of a kernel, for whoever has to launch it. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "harness/metal/clang/function_constants.hpp"
#include "harness/metal/text/outline.hpp"

namespace assay::metal {

/// What an outline is made of.
struct OutlinedText {
  const clang::ASTContext& context;
  const clang::FunctionDecl& kernel;
  std::vector<FunctionConstants::Declared> constants;  ///< that it uses
  std::vector<std::pair<unsigned, unsigned>> used;     ///< bytes of the text
  std::optional<unsigned> macros_from;                 ///< where, behind the text, macros have names
};

/// All of an outline but `kernels` and `used`.
Outline outline_of(const OutlinedText& text);

}  // namespace assay::metal
