// Functions that address spaces alone tell apart. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>

#include <vector>

#include "harness/metal/clang/edits.hpp"
#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

constexpr std::size_t kNoError = static_cast<std::size_t>(-1);

/// Something that is declared once more, which clang refuses.
struct Redeclared {
  clang::SourceLocation at, before;  ///< their names
  std::size_t error = kNoError;      ///< which of the errors says so
};

/// Conversions that are templates, and the same but for address spaces: clang does not say so.
void find_conversions(const clang::ASTContext& context, std::vector<Redeclared>& redeclared);

/// All memory is one space to clang here. Of functions, members and specialisations that Metal tells apart by
/// address spaces, the first stays, if the others do the same, and the others are not read. A constructor
/// that is defaulted for memory in which nothing is constructed gives way. Where they do something else, the
/// error says that. `kernel`: the one that is chosen, or null.
void settle_overloads(const clang::ASTContext& context, const std::vector<Redeclared>& redeclared,
                      const clang::FunctionDecl* kernel, std::vector<Diagnostic>& errors, Edits& edits);

}  // namespace assay::metal
