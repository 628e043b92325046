#include "harness/metal/sums.hpp"

#include <algorithm>
#include <string_view>

namespace assay::metal {
namespace {

// Words that an expression may follow, but that are no operand.
bool is_keyword(const Token& token) {
  return token.is_any({"return", "case",   "else",   "do",       "operator",    "if",     "while",
                       "for",    "switch", "goto",   "typename", "template",    "const",  "constexpr",
                       "static", "throw",  "device", "constant", "threadgroup", "thread", "volatile"});
}

}  // namespace

SumReader::SumReader(const TokenText& text) : tokens_(text.tokens), types_(text) {}

// Is what stands in these parentheses a type, and something to convert behind them?
bool SumReader::is_cast(std::size_t open, std::size_t close) const {
  const auto before = previous_significant(tokens_, open);
  if (before < tokens_.size() && tokens_[before].is_word() && !is_keyword(tokens_[before])) return false;
  const auto last = previous_significant(tokens_, close);
  bool type = last > open && last < close && tokens_[last].is("*");  // no value ends in one
  for (std::size_t i = open + 1; i < close; ++i) {
    if (!tokens_[i].significant()) continue;
    if (!tokens_[i].is_word() && !tokens_[i].is_any({"*", "&", "::", "<", ">", ",", "[", "]"}) &&
        tokens_[i].kind != TokenKind::number) {
      return false;
    }
    type |= is_type(i);
    if (is_type(i)) {  // half(x) is a value
      const auto next = next_significant(tokens_, i);
      if (next < close && tokens_[next].is("(")) return false;
    }
  }
  return type;
}

// May an operand end here, so that the operator behind it is a binary one?
bool SumReader::ends_operand(std::size_t i) const {
  if (i >= tokens_.size()) return false;
  const Token& token = tokens_[i];
  if (token.is(")")) return opening(i) < tokens_.size() && !is_cast(opening(i), i);
  return token.is("]") || token.kind == TokenKind::number || token.kind == TokenKind::string ||
         (token.is_word() && !is_keyword(token) && !is_type(i));
}

bool SumReader::is_binary(std::size_t i) const {
  if (i >= tokens_.size() || !tokens_[i].is_any({"+", "-", "*", "/", "%"})) return false;
  const auto before = previous_significant(tokens_, i);
  if (!ends_operand(before)) return false;
  return !tokens_[i].is("*") || !tokens_[before].is_word() || !types_.declares_pointer(before);
}

std::size_t SumReader::opening(std::size_t close) const { return types_.opening(close); }

// One past the operand that begins at `i`, with its unary operators and casts; 0 if there is none.
std::size_t SumReader::operand_end(std::size_t i) const {
  const auto size = tokens_.size();
  for (; i < size; i = next_significant(tokens_, i)) {
    if (tokens_[i].is_any({"-", "+", "!", "~", "*", "&", "++", "--"})) continue;
    if (!tokens_[i].is("(")) break;
    const auto close = closing_bracket(tokens_, i);
    if (close >= size || !is_cast(i, close)) break;
    i = close;
  }
  if (i >= size || is_keyword(tokens_[i])) return 0;
  auto last = i;
  bool type = is_type(i);
  if (tokens_[i].is("(")) {
    last = closing_bracket(tokens_, i);
  } else if (!tokens_[i].is_word() && tokens_[i].kind != TokenKind::number &&
             tokens_[i].kind != TokenKind::string) {
    return 0;
  }
  for (auto next = next_significant(tokens_, last); next < size; next = next_significant(tokens_, last)) {
    if (tokens_[next].is("(") || tokens_[next].is("[") || (tokens_[next].is("{") && type)) {
      last = closing_bracket(tokens_, next);
      if (last >= size) return 0;
      type = false;
    } else if (tokens_[next].is_any({".", "->", "::"})) {
      last = next_significant(tokens_, next);
      if (last >= size || !tokens_[last].is_word()) return 0;
      type = is_type(last);
    } else if (tokens_[next].is_any({"++", "--"})) {
      last = next;
    } else if (tokens_[next].is("<") && tokens_[last].is_word()) {
      // Template arguments, if something is called or made of them; else a comparison.
      const auto close = closing_angle(tokens_, next);
      const auto behind = close < size ? next_significant(tokens_, close) : size;
      if (behind >= size || !tokens_[behind].is_any({"(", "{", "::"})) break;
      for (auto j = next; j < close; ++j) {
        if (tokens_[j].is_any({"&&", "||", "?", "="})) return last + 1;
      }
      type = tokens_[behind].is("{");
      last = close;
    } else {
      break;
    }
  }
  return last < size ? last + 1 : 0;
}

std::size_t SumReader::postfix_begin(std::size_t last) const {
  const auto size = tokens_.size();
  auto i = last;
  while (i < size) {
    auto before = previous_significant(tokens_, i);
    if (tokens_[i].is_any({")", "]"})) {
      const auto open = opening(i);
      if (open >= size) return size;
      before = previous_significant(tokens_, open);
      if (before < size && tokens_[before].is(">") && tokens_[i].is(")")) {
        auto angle = before;  // f<...>(...)
        for (int depth = 0; angle < size; angle = previous_significant(tokens_, angle)) {
          if (tokens_[angle].is_any({";", "{", "}", "=", "&&", "||", "?"})) return size;
          depth += tokens_[angle].is(">") - tokens_[angle].is("<");
          if (depth == 0) break;
        }
        i = angle < size ? previous_significant(tokens_, angle) : size;
        if (i >= size || !tokens_[i].is_word()) return size;
        before = previous_significant(tokens_, i);
      } else if (before < size && ((tokens_[before].is_word() && !is_keyword(tokens_[before])) ||
                                   tokens_[before].is_any({")", "]"}))) {
        i = before;
        continue;
      } else {
        i = open;
        if (tokens_[open].is("[")) return size;
      }
    } else if (!tokens_[i].is_word() && tokens_[i].kind != TokenKind::number &&
               tokens_[i].kind != TokenKind::string) {
      return size;
    }
    if (before < size && tokens_[before].is_any({".", "->", "::"})) {
      i = previous_significant(tokens_, before);
      continue;
    }
    break;
  }
  return i;
}

// The first token of the operand that ends with `last`; tokens_.size() if there is none.
std::size_t SumReader::operand_begin(std::size_t last) const {
  const auto size = tokens_.size();
  auto i = postfix_begin(last);
  for (auto before = previous_significant(tokens_, i); before < size;
       before = previous_significant(tokens_, i)) {
    const bool unary =
        tokens_[before].is_any({"-", "+", "*", "&"}) && !ends_operand(previous_significant(tokens_, before));
    const bool cast = tokens_[before].is(")") && opening(before) < size && is_cast(opening(before), before);
    if (cast) {
      i = opening(before);
    } else if (unary || tokens_[before].is_any({"!", "~", "++", "--"})) {
      i = before;
    } else {
      break;
    }
  }
  return i;
}

std::optional<Sum> SumReader::from(std::size_t begin) const {
  Sum sum;
  sum.terms.emplace_back();
  for (auto i = begin;;) {
    const auto end = operand_end(i);
    if (end == 0) return std::nullopt;
    sum.terms.back().factors.push_back({i, end});
    const auto op = next_significant(tokens_, end - 1);
    if (op >= tokens_.size() || !tokens_[op].is_any({"+", "-", "*", "/", "%"})) return sum;
    if (tokens_[op].is_any({"+", "-"})) {
      sum.operators.push_back(op);
      sum.terms.emplace_back();
    } else {
      sum.terms.back().operators.push_back(op);
    }
    i = next_significant(tokens_, op);
    if (i >= tokens_.size()) return std::nullopt;
  }
}

std::optional<Sum> SumReader::around(std::size_t i) const {
  if (!is_binary(i)) return std::nullopt;
  auto begin = i;
  for (auto op = i; is_binary(op); op = previous_significant(tokens_, begin)) {
    begin = operand_begin(previous_significant(tokens_, op));
    if (begin >= tokens_.size()) return std::nullopt;
  }
  auto sum = from(begin);
  if (!sum) return std::nullopt;
  const auto has = [&](const auto& operators) {
    return std::find(operators.begin(), operators.end(), i) != operators.end();
  };
  const bool found =
      has(sum->operators) || std::any_of(sum->terms.begin(), sum->terms.end(),
                                         [&](const Term& term) { return has(term.operators); });
  return found ? sum : std::nullopt;
}

std::optional<std::size_t> SumReader::assigned(std::size_t i) const {
  const auto last = previous_significant(tokens_, i);
  if (last >= tokens_.size()) return std::nullopt;
  const auto begin = operand_begin(last);
  return begin < tokens_.size() ? std::optional(begin) : std::nullopt;
}

}  // namespace assay::metal
