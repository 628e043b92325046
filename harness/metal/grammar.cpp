#include "harness/metal/grammar.hpp"

#include <algorithm>
#include <array>

#include "harness/metal/declaration.hpp"

namespace assay::metal {
namespace {

using metal::DeclarationKind;
using metal::TokenRange;

constexpr std::array<std::string_view, 30> kKeywords = {
    "if",       "else",      "for",      "while",    "do",       "switch",  "case",     "default",
    "return",   "break",     "continue", "goto",     "sizeof",   "alignof", "typedef",  "using",
    "template", "namespace", "struct",   "class",    "union",    "enum",    "operator", "static_assert",
    "const",    "constexpr", "static",   "volatile", "typename", "public"};

constexpr std::array<std::string_view, 14> kSpecifiers = {
    "const",  "constexpr", "static",  "thread", "threadgroup", "device", "constant",
    "inline", "using",     "typedef", "struct", "union",       "enum",   "volatile"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

Grammar::Grammar(const metal::TokenText& text, const std::vector<bool>& live)
    : text_(text),
      tokens_(text.tokens),
      types_(text),
      open_(live),
      in_body_(text.tokens.size(), false),
      angle_(text.tokens.size(), false) {
  close_parts();
  find_bodies();
  find_angles();
  find_statements();
}

// What no operator may touch: a change there makes another program rather than a faulty one.
void Grammar::close_parts() {
  const auto close = [&](TokenRange range) {
    for (std::size_t i = range.begin; i < std::min(range.end, size()); ++i) open_[i] = false;
  };
  for (const auto& declaration : metal::declarations_of(text_)) {
    close(declaration.template_header);
    const auto first = declaration.header;
    if (is(first, "using") || is(first, "typedef") || is(first, "static_assert") ||
        declaration.explicit_instantiation) {
      close(declaration.range);
    }
    if (declaration.kind != DeclarationKind::function || !declaration.parameters) continue;
    bool kernel = false;
    for (auto i = declaration.range.begin; i < *declaration.parameters; ++i)
      kernel |= tokens_[i].is("kernel");
    if (kernel)
      close({declaration.range.begin, metal::closing_bracket(tokens_, *declaration.parameters) + 1});
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (const auto end = metal::attribute_end(tokens_, i)) close({i, *end});
    if (!tokens_[i].significant()) open_[i] = false;
  }
}

void Grammar::find_bodies() {
  const auto mark = [&](const metal::Declaration& declaration, auto&& self) -> void {
    if (!declaration.body) return;
    if (declaration.kind == DeclarationKind::function) {
      const auto end = std::min(metal::closing_bracket(tokens_, *declaration.body), size());
      for (auto i = *declaration.body; i < end; ++i) in_body_[i] = true;
    } else if (declaration.kind == DeclarationKind::type) {
      for (const auto& member : metal::members_of(text_, declaration)) self(member, self);
    }
  };
  for (const auto& declaration : metal::declarations_of(text_)) mark(declaration, mark);
}

// `<` behind a word whose `>` comes before the expression ends, with nothing between that only a comparison
// has.
void Grammar::find_angles() {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!tokens_[i].is("<")) continue;
    const auto before = previous(i);
    if (before >= size() || !tokens_[before].is_word() || is_keyword(before)) {
      if (!is(before, "template")) continue;
    }
    const auto end = metal::closing_angle(tokens_, i);
    if (end >= size()) continue;
    bool arguments = true;
    for (auto j = i + 1; j < end; ++j) {
      for (const char* other : {"&&", "||", "?", "=", "{"}) arguments &= !tokens_[j].is(other);
    }
    if (arguments) angle_[i] = angle_[end] = true;
  }
}

bool Grammar::is_type(std::size_t i) const { return types_.is_type(i); }

bool Grammar::is_keyword(std::size_t i) const {
  return i < size() && tokens_[i].is_word() && among(kKeywords, tokens_[i].text);
}

bool Grammar::binary(std::size_t i) const {
  const auto left = previous(i);
  if (left >= size() || next(i) >= size()) return false;
  const auto& token = tokens_[left];
  if (token.kind == metal::TokenKind::number || token.is(")") || token.is("]")) return true;
  if (!token.is_word() || is_keyword(left) || is_type(left)) return false;
  const auto specifier = previous(left);  // `device Word* name`
  return specifier >= size() || !tokens_[specifier].is_word() || !among(kSpecifiers, tokens_[specifier].text);
}

bool Grammar::call(std::size_t open) const {
  const auto name = previous(open);
  if (!in_body(open) || name >= size() || !tokens_[name].is_word() || is_keyword(name)) return false;
  const auto before = previous(name);
  if (before >= size()) return false;
  if (is_keyword(before)) return true;  // return f(...), else f(...)
  return !tokens_[before].is_word() && !angle(before);
}

bool Grammar::subscript(std::size_t open) const {
  auto name = previous(open);
  while (is(name, "]")) {  // the first index of several decides
    std::size_t depth = 0;
    for (; name < size(); name = previous(name)) {
      if (is(name, "]")) ++depth;
      if (is(name, "[") && --depth == 0) break;
    }
    name = previous(name);
  }
  if (!in_body(open) || name >= size()) return false;
  if (is(name, ")")) return true;
  if (!tokens_[name].is_word() || is_keyword(name) || is_type(name)) return false;
  const auto before = previous(name);
  if (before >= size()) return false;
  if (tokens_[before].is_word()) return is_keyword(before);
  return !angle(before);
}

std::vector<TokenRange> Grammar::parts(std::size_t open) const {
  std::vector<TokenRange> found;
  const auto close = metal::closing_bracket(tokens_, open);
  if (close >= size()) return found;
  std::size_t begin = open + 1;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (is(i, ";")) return {};
    if (is(i, "(") || is(i, "[") || is(i, "{")) i = metal::closing_bracket(tokens_, i);
    if (i < size() && is(i, "<") && angle(i)) i = metal::closing_angle(tokens_, i);
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

bool Grammar::declares(std::size_t i, std::size_t end) const {
  if (!tokens_[i].is_word()) return false;
  if (among(kSpecifiers, tokens_[i].text)) return true;
  auto after = next(i);
  if (after < end && is(after, "<") && angle(after)) after = next(metal::closing_angle(tokens_, after));
  if (after >= end) return false;
  if (tokens_[after].is_word()) return true;
  return is_type(i) && (is(after, "*") || is(after, "&") || is(after, "("));
}

void Grammar::find_statements() {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!in_body(i) || !tokens_[i].significant() || is_keyword(i)) {
      const bool leaves = is(i, "return") || is(i, "break") || is(i, "continue");
      if (!in_body(i) || !leaves) continue;
    }
    const auto before = previous(i);
    bool starts = is(before, ";") || is(before, "{") || is(before, "}") || is(before, "else");
    if (is(before, ")")) {  // behind the head of an if, for or while
      std::size_t depth = 0;
      auto head = before;
      for (; head < size(); head = previous(head)) {
        if (is(head, ")")) ++depth;
        if (is(head, "(") && --depth == 0) break;
      }
      const auto word = previous(head);
      starts = is(word, "if") || is(word, "for") || is(word, "while") || is(word, "constexpr");
    }
    if (!starts || is(i, "{") || is(i, "}") || is(i, ";")) continue;
    std::size_t end = i;
    bool plain = true;
    for (; plain && end < size() && !is(end, ";"); ++end) {
      if (is(end, "{") && !is(previous(end), "=") && !is(previous(end), "(")) plain = false;
      if (is(end, ")") || is(end, "}")) plain = false;  // the head of a for, or the end of a block
      if (is(end, "(") || is(end, "[") || is(end, "{")) end = metal::closing_bracket(tokens_, end);
    }
    if (!plain || end >= size()) continue;
    if (is(i, "return") && next(i) != end) continue;
    if (!declares(i, end)) statements_.push_back({i, end});
  }
}

}  // namespace assay::metal
