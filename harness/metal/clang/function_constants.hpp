// `constant bool flag [[function_constant(0)]];`
#pragma once

#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// The function constants of the text that is read. One with a value is a constant like any other from its
/// declaration on; one without may be declared and asked for, and only code that is left with a use of it
/// fails.
class FunctionConstants {
 public:
  struct Declared {
    std::uint32_t index = 0;
    Diagnostic::Place place;
    const clang::VarDecl* variable = nullptr;
  };

  /// `values`: index to literal.
  explicit FunctionConstants(const std::map<std::uint32_t, std::string>& values) : values_(values) {}

  /// A declaration that has the attribute, before clang looks for its initialiser: it is of another unit.
  void declare(clang::Sema& sema, clang::VarDecl& variable, std::uint32_t index);

  /// Between two declarations: those that were declared get their values.
  void define_declared(clang::Sema& sema);

  /// In the order of the text.
  const std::vector<Declared>& all() const { return all_; }
  const std::vector<UnsetConstant>& unset() const { return unset_; }
  bool is_unset(const clang::VarDecl& variable) const;

 private:
  clang::Expr* literal(clang::Sema& sema, const clang::VarDecl& variable, const std::string& text) const;

  const std::map<std::uint32_t, std::string>& values_;
  std::vector<std::pair<clang::VarDecl*, std::uint32_t>> declared_;
  std::vector<Declared> all_;
  std::vector<UnsetConstant> unset_;
  std::vector<const clang::VarDecl*> unset_variables_;
};

}  // namespace assay::metal
