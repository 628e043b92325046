// The code of a text that a kernel runs. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::metal {

/// The functions of the text that it leads to by calls, itself first: instances where they are templates. None
/// where something is wrong with the kernel and clang has made no body of it.
std::vector<const clang::FunctionDecl*> functions_run_by(const clang::FunctionDecl& kernel);

/// Without what changes no whole number that fits: parentheses, conversions, copies.
const clang::Expr* bare(const clang::Expr* one);

/// The variable that it names, or null.
const clang::VarDecl* variable_in(const clang::Expr* one);

/// Components of a vector of the library's, by letters: `l.xy`.
struct Components {
  const clang::Expr* vector = nullptr;  ///< null: it is something else
  llvm::StringRef letters = {};

  /// Where the last of them stands in the vector, from 0; nothing where there is none.
  std::optional<unsigned> last() const;
};
Components components_in(const clang::Expr* one);

/// The whole number that it always is.
std::optional<std::int64_t> whole_number(const clang::Expr* one, const clang::ASTContext& context);

/// As the text has it.
std::string words_of(const clang::Expr* one, const clang::ASTContext& context);

}  // namespace assay::metal
