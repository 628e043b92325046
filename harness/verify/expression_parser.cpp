// Text of an expression to its steps.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/verify/expression.hpp"

namespace assay::verify {

/// Recursive descent; emits postfix steps.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Expression& into) : text_(text), into_(into) {}

  void parse() {
    sum();
    if (peek() != '\0') fail(fmt::format("'{}' is not expected here", peek()));
  }

 private:
  using Operation = Expression::Operation;

  // Deep enough for any formula, shallow enough for any stack.
  static constexpr int kMaxDepth = 64;

  [[noreturn]] void fail(const std::string& what) const {
    throw ExpressionError(fmt::format("expression \"{}\", character {}: {}", text_, position_ + 1, what));
  }

  char peek() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0)
      ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }

  void emit(Operation operation) { into_.steps_.push_back({operation, {}, 0}); }

  void sum() {
    product();
    for (;;) {
      if (take('+')) {
        product();
        emit(Operation::add);
      } else if (take('-')) {
        product();
        emit(Operation::subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    factor();
    for (;;) {
      const char c = peek();
      if (c != '*' && c != '/' && c != '%') return;
      ++position_;
      factor();
      emit(c == '*' ? Operation::multiply : c == '/' ? Operation::divide : Operation::modulo);
    }
  }

  void factor() {
    if (++depth_ > kMaxDepth) fail("nested too deeply");
    const char c = peek();
    if (take('-')) {
      factor();
      emit(Operation::negate);
    } else if (take('(')) {
      sum();
      if (!take(')')) fail("')' is missing");
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
      number();
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
      name();
    } else {
      fail(c == '\0' ? "it ends where a value is expected" : fmt::format("'{}' is not expected here", c));
    }
    --depth_;
  }

  bool digit_follows() const {
    return position_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_])) != 0;
  }

  void number() {
    fractions::Wide numerator = 0;
    fractions::Wide denominator = 1;
    constexpr fractions::Wide kLimit = fractions::Wide{1} << 100;
    const auto digits = [&](bool fractional) {
      for (; digit_follows(); ++position_) {
        numerator = numerator * 10 + (text_[position_] - '0');
        if (fractional) denominator *= 10;
        if (numerator > kLimit || denominator > kLimit) fail("the number has too many digits");
      }
    };
    digits(false);
    if (position_ < text_.size() && text_[position_] == '.') {
      ++position_;
      if (!digit_follows()) fail("a digit is expected after '.'");
      digits(true);
    }
    if (position_ < text_.size() && (text_[position_] == 'e' || text_[position_] == 'E')) {
      exponent(numerator, denominator);
    }
    const auto value = fractions::reduce(numerator, denominator);
    if (!value) fail("the number does not fit in 64 bits");
    into_.steps_.push_back({Operation::number, *value, 0});
  }

  void exponent(fractions::Wide& numerator, fractions::Wide& denominator) {
    ++position_;
    const bool negative = position_ < text_.size() && text_[position_] == '-';
    if (position_ < text_.size() && (text_[position_] == '-' || text_[position_] == '+')) ++position_;
    if (!digit_follows()) fail("a digit is expected in the exponent");
    int power = 0;
    for (; digit_follows(); ++position_) power = std::min(power * 10 + (text_[position_] - '0'), 1000);
    for (; power > 0 && numerator != 0; --power) {
      fractions::Wide& scaled = negative ? denominator : numerator;
      if (scaled > (fractions::Wide{1} << 120)) fail("the exponent is too large");
      scaled *= 10;
    }
  }

  void name() {
    const std::size_t start = position_;
    const auto inside = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    while (position_ < text_.size() && inside(text_[position_])) ++position_;
    std::string word(text_.substr(start, position_ - start));
    std::replace(word.begin(), word.end(), '.', '_');
    if (peek() == '(') return call(word);
    auto& names = into_.names_;
    const auto found = std::find(names.begin(), names.end(), word);
    into_.steps_.push_back({Operation::name, {}, static_cast<std::size_t>(found - names.begin())});
    if (found == names.end()) names.push_back(word);
  }

  void call(const std::string& function) {
    const bool unary = function == "ceil" || function == "floor";
    if (!unary && function != "min" && function != "max") {
      fail("no function " + function + "; there are ceil, floor, min, max");
    }
    take('(');
    sum();
    while (!unary && take(',')) {
      sum();
      emit(function == "min" ? Operation::min : Operation::max);
    }
    if (!take(')')) fail("')' is missing after the arguments of " + function);
    if (unary) emit(function == "ceil" ? Operation::ceil : Operation::floor);
  }

  std::string_view text_;
  Expression& into_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

Expression::Expression(std::string_view text) : text_(text) { ExpressionParser(text_, *this).parse(); }

}  // namespace assay::verify
