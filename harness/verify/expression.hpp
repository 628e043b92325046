// Arithmetic over dimension names, as manifests write it: "ceil(N / 64)", "=K/8", "tile_m * tile_k * 2".
//
// Values are exact fractions of 64-bit integers, so `N / 64` inside ceil() means what it means on paper and
// neither rounding nor a silent infinity (as doubles would give) can size a grid or a buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assay/problem.hpp"
#include "harness/verify/fraction.hpp"

namespace assay {

/// what() names the expression and says what is wrong with it.
class ExpressionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Grammar: + - * / %, unary minus, parentheses, decimal numbers (exponents too), names, and the functions
/// ceil(x), floor(x), min(x, y, ...), max(x, y, ...). What ceil and floor take must be able to be no whole
/// number: ceil(N) is a division forgotten. At most 1000 characters. A name may hold digits, underscores and
/// inner dots; `tile.m` is `tile_m`.
class Expression {
 public:
  /// The value 0.
  Expression() : Expression("0") {}

  /// Throws ExpressionError where `text` does not follow the grammar.
  explicit Expression(std::string_view text);

  const std::string& text() const { return text_; }

  /// Names in order of first use.
  const std::vector<std::string>& names() const { return names_; }

  /// True when the whole expression is one name.
  bool is_name() const { return steps_.size() == 1 && names_.size() == 1; }

  /// A name that the value does not depend on, tried over values from 1 to 2^31: N of "min(N, 1)". Nothing
  /// where each matters.
  std::optional<std::string> idle_name() const;

  /// Exact value. Throws ExpressionError on a name that `dims` lacks (the message lists those it has), on
  /// overflow of 64 bits and on division by zero.
  Fraction evaluate(const Dims& dims) const;

  /// As evaluate, and the value must be a whole number.
  std::int64_t evaluate_integer(const Dims& dims) const;

 private:
  friend class ExpressionParser;
  enum class Operation {
    number,
    name,
    negate,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    ceil,
    floor,
    min,
    max
  };
  struct Step {
    Operation operation{};
    Fraction number{};      // of `number`
    std::size_t index = 0;  // of `name`: into names_
  };

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;  // postfix order
};

}  // namespace assay
