#include "harness/metal/type_words.hpp"

#include <algorithm>
#include <string_view>

#include "harness/metal/declared_types.hpp"
#include "harness/metal/library_types.hpp"

namespace assay::metal {
namespace {

// Words behind which a value may stand. Behind any other word, a word is part of a declaration.
bool comes_before_value(const Token& token) {
  return token.is_any({"return", "case", "throw", "and", "or", "not", "operator", "goto"});
}

}  // namespace

TypeWords::TypeWords(const TokenText& text)
    : tokens_(text.tokens), types_(type_tokens(text.tokens, [](std::string_view name) {
        return library_types().contains(name);
      })) {
  note_brackets();
}

void TypeWords::note_brackets() {
  openings_.assign(tokens_.size(), tokens_.size());
  enclosing_.assign(tokens_.size(), tokens_.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].is_any({")", "]", "}"}) && !open.empty()) {
      openings_[i] = open.back();
      open.pop_back();
    }
    if (!open.empty()) enclosing_[i] = open.back();
    if (tokens_[i].is_any({"(", "[", "{"})) open.push_back(i);
  }
}

bool TypeWords::declares_pointer(std::size_t i) const {
  const auto size = tokens_.size();
  auto before = previous_significant(tokens_, i);
  while (before < size && tokens_[before].is("::")) {
    i = previous_significant(tokens_, before);
    if (i >= size || !tokens_[i].is_word()) return false;
    before = previous_significant(tokens_, i);
  }
  if (before >= size || tokens_[before].is_any({";", "}", "]"})) return true;
  if (tokens_[before].is_word()) return !comes_before_value(tokens_[before]);
  if (tokens_[before].is("{")) return begins_statement(before, i);
  if (tokens_[before].is("(")) {
    const auto name = previous_significant(tokens_, before);
    return (name < size && tokens_[name].is("for")) || is_parameter_list(before);
  }
  return tokens_[before].is(",") && is_parameter_list(enclosing_[before]);
}

// Does a statement stand at `i`, right behind `brace`, and not the first of a list of values?
bool TypeWords::begins_statement(std::size_t brace, std::size_t i) const {
  const auto close = closing_bracket(tokens_, brace);
  for (; i < close && i < tokens_.size(); ++i) {
    if (tokens_[i].is(";")) return true;
    if (tokens_[i].is_any({"(", "[", "{"})) i = closing_bracket(tokens_, i);
  }
  return false;
}

// Those of a function, whose body follows: calls and conditions are none.
bool TypeWords::is_parameter_list(std::size_t open) const {
  if (open >= tokens_.size() || !tokens_[open].is("(")) return false;
  const auto name = previous_significant(tokens_, open);
  if (name >= tokens_.size() || tokens_[name].is_any({"if", "while", "for", "switch"})) return false;
  const auto behind = next_significant(tokens_, closing_bracket(tokens_, open));
  return behind < tokens_.size() && tokens_[behind].is_any({"{", "const", "thread", "device", "threadgroup"});
}

}  // namespace assay::metal
