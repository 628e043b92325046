// Text of an expression to its steps.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/verify/expression.hpp"
#include "harness/verify/shown.hpp"

namespace assay {

/// Recursive descent; emits postfix steps.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Expression& into) : text_(text), into_(into) {}

  void parse() {
    if (text_.size() > kMaxText) fail(fmt::format("it has more than {} characters", kMaxText));
    sum();
    if (position_ < text_.size()) unexpected();
  }

 private:
  using Operation = Expression::Operation;

  // Deep enough for any formula, shallow enough for any stack.
  static constexpr int kMaxDepth = 64;
  static constexpr std::size_t kMaxText = 1000;

  [[noreturn]] void fail(const std::string& what) const {
    throw ExpressionError(
        fmt::format("expression \"{}\", character {}: {}", shown(text_), position_ + 1, what));
  }

  [[noreturn]] void unexpected() const {
    if (position_ >= text_.size()) fail("a value is missing at its end");
    fail(fmt::format("'{}' is not expected here", shown(text_.substr(position_, 1))));
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

  void push(Expression::Step step, bool whole) {
    into_.steps_.push_back(step);
    whole_.push_back(whole);
  }

  // Of wholes all but a quotient is whole.
  void emit(Operation operation) {
    into_.steps_.push_back({operation, {}, 0});
    const bool last = whole_.back();
    if (operation == Operation::negate) return;
    if (operation == Operation::ceil || operation == Operation::floor) {
      whole_.back() = true;
      return;
    }
    whole_.pop_back();
    whole_.back() = whole_.back() && last && operation != Operation::divide;
  }

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
    if (++depth_ > kMaxDepth) fail("its brackets are nested too deeply");
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
      unexpected();
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
    push({Operation::number, *value, 0}, value->denominator == 1);
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
    push({Operation::name, {}, static_cast<std::size_t>(found - names.begin())}, true);
    if (found == names.end()) names.push_back(word);
  }

  void call(const std::string& function) {
    const bool unary = function == "ceil" || function == "floor";
    if (!unary && function != "min" && function != "max") {
      fail("there is no function " + shown(function) + "; use ceil, floor, min or max");
    }
    take('(');
    sum();
    std::size_t arguments = 1;
    for (; take(','); ++arguments) {
      sum();
      if (!unary) emit(function == "min" ? Operation::min : Operation::max);
    }
    if (!take(')')) fail("')' is missing after the arguments of " + function);
    if (unary && arguments != 1) fail(fmt::format("{} takes one argument, not {}", function, arguments));
    if (!unary && arguments < 2) fail(function + " takes two arguments or more, not 1");
    if (!unary) return;
    if (whole_.back()) fail(function + " is applied to a whole number; divide inside it, or leave it out");
    emit(function == "ceil" ? Operation::ceil : Operation::floor);
  }

  std::string_view text_;
  Expression& into_;
  std::vector<bool>
      whole_;  // of each value that the steps leave: is it a whole number, whatever names stand for?
  std::size_t position_ = 0;
  int depth_ = 0;
};

Expression::Expression(std::string_view text) : text_(text) { ExpressionParser(text_, *this).parse(); }

}  // namespace assay
