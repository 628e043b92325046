#include "harness/metal/text/grammar.hpp"

#include <algorithm>

namespace assay::metal {

Grammar::Grammar(const TokenText& text, const std::vector<bool>& live, const Syntax& syntax)
    : tokens_(text.tokens), open_(live), in_body_(text.tokens.size(), false) {
  find_places();
  operators_ = marked(syntax.operators);
  calls_ = marked(syntax.calls);
  subscripts_ = marked(syntax.subscripts);
  lists_ = marked(syntax.lists);
  unset_ = marked(syntax.unset);
  conditions_ = ranges(syntax.conditions);
  for (const TokenRange& body : ranges(syntax.bodies))
    std::fill(in_body_.begin() + static_cast<std::ptrdiff_t>(body.begin),
              in_body_.begin() + static_cast<std::ptrdiff_t>(body.end - 1), true);
  for (const TokenRange& closed : ranges(syntax.closed)) close(closed);
  close_attributes();
  for (const TokenRange& statement : ranges(syntax.statements)) {
    const auto semicolon = next(statement.end - 1);
    if (is(semicolon, ";")) statements_.push_back({statement.begin, semicolon});
  }
}

void Grammar::find_places() {
  std::uint32_t at = 0;
  for (const Token& token : tokens_) {
    bytes_.push_back(at);
    at += static_cast<std::uint32_t>(token.text.size());
  }
}

std::size_t Grammar::token_at(std::uint32_t byte) const {
  const auto found = std::lower_bound(bytes_.begin(), bytes_.end(), byte);
  return found != bytes_.end() && *found == byte ? static_cast<std::size_t>(found - bytes_.begin()) : size();
}

std::vector<TokenRange> Grammar::ranges(const Syntax::Ranges& bytes) const {
  std::vector<TokenRange> all;
  for (const auto& [begin, end] : bytes) {
    const std::size_t first = token_at(begin);
    const auto last =
        static_cast<std::size_t>(std::lower_bound(bytes_.begin(), bytes_.end(), end) - bytes_.begin());
    if (first < last) all.push_back({first, last});
  }
  return all;
}

std::vector<bool> Grammar::marked(const Syntax::Bytes& bytes) const {
  std::vector<bool> all(size(), false);
  for (const auto byte : bytes) {
    const std::size_t i = token_at(byte);
    if (i < size()) all[i] = true;
  }
  return all;
}

void Grammar::close(TokenRange range) {
  for (std::size_t i = range.begin; i < range.end; ++i) open_[i] = false;
}

// Attributes, and explicit instantiations, which are no declarations to clang.
void Grammar::close_attributes() {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!tokens_[i].significant()) open_[i] = false;
    if (is(i, "[") && is(i + 1, "[")) close({i, std::min(closing_bracket(tokens_, i) + 1, size())});
    if (!is(i, "template") || in_body_[i] || is(next(i), "<")) continue;
    std::size_t end = i;
    while (end < size() && !is(end, ";")) ++end;
    close({i, end});
  }
}

bool Grammar::closes(const std::vector<bool>& closing, std::size_t open) const {
  const auto close = closing_bracket(tokens_, open);
  return close < size() && closing[close];
}

std::vector<TokenRange> Grammar::parts(std::size_t open) const {
  std::vector<TokenRange> found;
  const auto close = closing_bracket(tokens_, open);
  if (close >= size()) return found;
  std::size_t begin = open + 1;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (is(i, ";")) return {};
    if (is(i, "(") || is(i, "[") || is(i, "{")) i = closing_bracket(tokens_, i);
    if (i < size() && is(i, "<") && !operators_[i]) i = closing_angle(tokens_, i);
    if (is(i, ",")) {
      found.push_back(trimmed({begin, i}));
      begin = i + 1;
    }
  }
  found.push_back(trimmed({begin, close}));
  for (const auto& part : found) {
    if (part.begin >= part.end) return {};
  }
  return found;
}

TokenRange Grammar::trimmed(TokenRange range) const {
  while (range.begin < range.end && !tokens_[range.begin].significant()) ++range.begin;
  while (range.end > range.begin && !tokens_[range.end - 1].significant()) --range.end;
  return range;
}

}  // namespace assay::metal
