#include "harness/metal/constant_expression.hpp"

#include <charconv>

namespace assay::metal {
namespace {

using Value = std::optional<std::int64_t>;
constexpr int kDeepest = 32;  // names that stand for names
constexpr int kMostNested = 500, kMostEnumerators = 4096;

class Evaluator {
 public:
  Evaluator(std::span<const Token> tokens, IntegerConstants& constants, int depth, int enumerators = 0)
      : tokens_(tokens), constants_(constants), depth_(depth), enumerators_(enumerators) {
    at_ = next_significant(tokens_, static_cast<std::size_t>(-1));
  }

  Value run() {
    const Value value = binary(0);
    return at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  bool take(std::string_view what) {
    if (at_ >= tokens_.size() || !tokens_[at_].is(what)) return false;
    at_ = next_significant(tokens_, at_);
    return true;
  }

  // The operator at the present place if it binds as tightly as `level` says; ">>" is two tokens.
  std::string operator_of(int level) {
    static constexpr const char* kLevels[6][3] = {{"|"},        {"^"},      {"&"},
                                                  {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    for (const char* op : kLevels[level]) {
      if (op == nullptr) continue;
      if (std::string_view(op) == ">>") {
        if (at_ + 1 < tokens_.size() && tokens_[at_].is(">") && tokens_[at_ + 1].is(">")) {
          at_ = next_significant(tokens_, at_ + 1);
          return op;
        }
      } else if (take(op)) {
        return op;
      }
    }
    return {};
  }

  Value binary(int level) {
    if (level == 6) return unary();
    Value left = binary(level + 1);
    for (std::string op; left && !(op = operator_of(level)).empty();) {
      const Value right = binary(level + 1);
      left = right ? apply(op, *left, *right) : std::nullopt;
    }
    return left;
  }

  static Value apply(const std::string& op, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    switch (op[0]) {
      case '|':
        return a | b;
      case '^':
        return a ^ b;
      case '&':
        return a & b;
      case '+':
        return static_cast<std::int64_t>(ua + ub);
      case '-':
        return static_cast<std::int64_t>(ua - ub);
      case '*':
        return static_cast<std::int64_t>(ua * ub);
      case '<':
        return ub < 63 ? Value(static_cast<std::int64_t>(ua << ub)) : std::nullopt;
      case '>':
        return ub < 63 ? Value(a >> b) : std::nullopt;
      default:
        break;
    }
    if (b == 0 || b == -1) return std::nullopt;
    return op[0] == '/' ? a / b : a % b;
  }

  Value unary() {
    if (++nested_ > kMostNested) return std::nullopt;
    const Value value = within_nesting();
    --nested_;
    return value;
  }

  Value within_nesting() {
    if (take("+")) return unary();
    if (take("-")) {
      const Value value = unary();
      return value ? apply("-", 0, *value) : std::nullopt;
    }
    if (take("~")) {
      const Value value = unary();
      return value ? Value(~*value) : std::nullopt;
    }
    if (take("(")) {
      const Value value = binary(0);
      return take(")") ? value : std::nullopt;
    }
    if (at_ >= tokens_.size()) return std::nullopt;
    const Token& token = tokens_[at_];
    at_ = next_significant(tokens_, at_);
    if (token.kind == TokenKind::number) return number(token.text);
    if (!token.is_word()) return std::nullopt;
    std::string name = token.text;
    while (take("::")) {
      if (at_ >= tokens_.size() || !tokens_[at_].is_word()) return std::nullopt;
      name = tokens_[at_].text;
      at_ = next_significant(tokens_, at_);
    }
    return named(name);
  }

  static Value number(std::string text) {
    while (!text.empty() &&
           (text.back() == 'u' || text.back() == 'U' || text.back() == 'l' || text.back() == 'L')) {
      text.pop_back();
    }
    int base = 10;
    std::size_t skip = 0;
    if (text.starts_with("0x") || text.starts_with("0X"))
      base = 16, skip = 2;
    else if (text.starts_with("0b") || text.starts_with("0B"))
      base = 2, skip = 2;
    else if (text.size() > 1 && text[0] == '0')
      base = 8, skip = 1;
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + skip, end, value, base);
    return error == std::errc() && stop == end ? Value(value) : std::nullopt;
  }

  // An enumerator, or `constexpr/const/constant ... name = expression;`.
  Value named(const std::string& name) {
    if (depth_ >= kDeepest) return std::nullopt;
    const auto& all = constants_.tokens();
    for (const std::size_t i : constants_.places_of(name)) {
      if (!all[i].is(name)) continue;  // rewritten since
      const auto before = previous_significant(all, i), then = next_significant(all, i);
      if (then >= all.size() || before >= all.size()) continue;
      const bool listed = all[before].is("{") || all[before].is(",");
      if (all[then].is("=") && (listed || all[before].is_word())) {
        std::size_t stop = next_significant(all, then);
        const std::size_t begin = stop;
        while (stop < all.size() && !all[stop].is(",") && !all[stop].is(";") && !all[stop].is("}")) ++stop;
        return Evaluator(std::span(all).subspan(begin, stop - begin), constants_, depth_ + 1, enumerators_)
            .run();
      }
      if (!listed || !(all[then].is(",") || all[then].is("}"))) continue;
      if (all[before].is("{")) return inside_enumeration(before) ? Value(0) : std::nullopt;
      return after(before);
    }
    return std::nullopt;
  }

  // One more than the enumerator before the comma. In a list that is no enumeration a word may stand before
  // itself.
  Value after(std::size_t comma) {
    if (++enumerators_ > kMostEnumerators) return std::nullopt;
    std::size_t i = comma;
    const auto& all = constants_.tokens();
    while (i > 0 && !all[i - 1].is("{") && !all[i - 1].is(",") && !all[i - 1].is(";")) --i;
    const auto name = next_significant(all, i - 1);
    if (name >= comma || !all[name].is_word()) return std::nullopt;
    const Value value = named(all[name].text);
    return value ? apply("+", *value, 1) : std::nullopt;
  }

  bool inside_enumeration(std::size_t brace) const {
    const auto& all = constants_.tokens();
    for (std::size_t i = previous_significant(all, brace); i < all.size(); i = previous_significant(all, i)) {
      if (all[i].is("enum")) return true;
      if (!all[i].is_word() && !all[i].is(":") && !all[i].is("::")) return false;
    }
    return false;
  }

  std::span<const Token> tokens_;
  IntegerConstants& constants_;
  int depth_;
  int enumerators_;  // so many were asked for to know one
  int nested_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> IntegerConstants::value(std::string_view expression) {
  const TokenText tokens = tokenize(expression, "");
  return Evaluator(tokens.tokens, *this, 0).run();
}

const std::vector<std::size_t>& IntegerConstants::places_of(const std::string& word) {
  if (places_.empty()) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is_word()) places_[tokens_[i].text].push_back(i);
    }
  }
  return places_[word];
}

}  // namespace assay::metal
