#include "harness/metal/clang/function_constants.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <cstdlib>

#include "harness/metal/clang/places.hpp"

namespace assay::metal {

using namespace clang;

std::string UnsetConstant::complaint() const {
  const std::string number = std::to_string(index);
  return "assay: function constant " + number + " (`" + name +
         "`) has no value; give it one, in a manifest as function_constants = { " + number + " = ... }";
}

void FunctionConstants::declare(Sema& sema, VarDecl& variable, std::uint32_t index) {
  variable.setStorageClass(SC_Extern);
  variable.setConstexpr(false);  // it may be called that, and is without a value here
  all_.push_back({index, place_of(variable), &variable});
  if (values_.contains(index)) return declared_.emplace_back(&variable, index), void();
  unset_.push_back({index, variable.getNameAsString(), place_of(variable)});
  unset_variables_.push_back(&variable);
  ASTContext& context = sema.Context;
  variable.addAttr(AsmLabelAttr::CreateImplicit(context, unset_.back().symbol(), true));
  variable.addAttr(VisibilityAttr::CreateImplicit(context, VisibilityAttr::Default));
}

void FunctionConstants::define_declared(Sema& sema) {
  for (auto all = std::exchange(declared_, {}); const auto& [variable, index] : all) {
    if (variable->isInvalidDecl()) continue;
    Expr* const value = literal(sema, *variable, values_.at(index));
    if (value == nullptr) {
      const auto what = sema.Diags.getCustomDiagID(
          DiagnosticsEngine::Error,
          "function constant %0 (`%1`) has the value `%2`; write a number, true or false");
      sema.Diag(variable->getLocation(), what) << index << variable->getName() << values_.at(index);
      continue;
    }
    variable->setStorageClass(SC_Static);
    sema.AddInitializerToDecl(variable, value, false);
  }
}

bool FunctionConstants::is_unset(const VarDecl& variable) const {
  return std::any_of(unset_variables_.begin(), unset_variables_.end(), [&](const VarDecl* one) {
    return one->getCanonicalDecl() == variable.getCanonicalDecl();
  });
}

Expr* FunctionConstants::literal(Sema& sema, const VarDecl& variable, const std::string& text) const {
  ASTContext& context = sema.Context;
  const SourceLocation at = variable.getLocation();
  if (text == "true" || text == "false")
    return CXXBoolLiteralExpr::Create(context, text == "true", context.BoolTy, at);
  char* end = nullptr;
  const bool negative = text.starts_with('-');
  const char* const digits = text.c_str() + (negative ? 1 : 0);
  const bool hexadecimal = llvm::StringRef(digits).starts_with_insensitive("0x");
  const bool real = text.find_first_of(hexadecimal ? ".pP" : ".eE") != text.npos;
  if (*digits < '.' || *digits > '9') return nullptr;
  Expr* value = nullptr;
  if (real) {
    llvm::APFloat number(std::strtof(digits, &end));
    value = FloatingLiteral::Create(context, number, false, context.FloatTy, at);
  } else {
    const std::uint64_t number = std::strtoull(digits, &end, 0);
    const bool is_int = number <= 0x7FFFFFFF;
    const QualType type = is_int ? context.IntTy : context.LongTy;
    value = IntegerLiteral::Create(context, llvm::APInt(is_int ? 32 : 64, number), type, at);
  }
  if (llvm::StringRef(end).find_first_not_of("uUlLfFhH") != llvm::StringRef::npos) return nullptr;
  if (!negative) return value;
  const ExprResult less = sema.CreateBuiltinUnaryOp(at, UO_Minus, value);
  return less.isUsable() ? less.get() : nullptr;
}

}  // namespace assay::metal
