#include "harness/metal/private_variables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// Words that begin a statement, or a declaration of something else than a thread's own variable.
bool begins_other(const Token& token) {
  return token.is_any({"return",      "else",          "do",     "goto",    "case",      "default",
                       "break",       "continue",      "delete", "new",     "throw",     "using",
                       "typedef",     "namespace",     "public", "private", "protected", "template",
                       "if",          "for",           "while",  "switch",  "operator",  "struct",
                       "class",       "union",         "enum",   "friend",  "static",    "const",
                       "constexpr",   "extern",        "inline", "auto",    "device",    "constant",
                       "threadgroup", "static_assert", "kernel", "void",    "register"});
}

bool is_part_of_number_type(const Token& token) {
  return token.is_any({"unsigned", "signed", "long", "short", "int", "char"});
}

class Finder {
 public:
  explicit Finder(const TokenText& text) : tokens_(text.tokens) {}

  std::vector<PrivateVariable> run() {
    bool begins = false;  // a statement, or a declaration
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (!token.significant()) continue;
      if (begins && in_block()) declaration(i);
      begins = token.is_any({";", "{", "}", ":"});
      if (token.is("{")) open_.push_back(is_switch(i) ? 's' : is_block(i) ? 'b' : 't');
      if (token.is("(") || token.is("[")) open_.push_back(token.text[0]);
      if (token.is_any({"}", ")", "]"}) && !open_.empty()) open_.pop_back();
    }
    return std::move(found_);
  }

 private:
  bool in_block() const { return !open_.empty() && open_.back() == 'b'; }

  std::size_t before(std::size_t i) const {
    return i < tokens_.size() ? previous_significant(tokens_, i) : i;
  }
  bool in_switch() const { return !open_.empty() && open_.back() == 's'; }

  // A body of statements, rather than of a type, a namespace or a list of values.
  bool is_block(std::size_t open) const {
    std::size_t last = before(open);
    if (last < tokens_.size() && tokens_[last].is("const")) last = before(last);
    if (last >= tokens_.size()) return false;
    if (tokens_[last].is(")")) return !is_attribute_of_type(last);
    if (tokens_[last].is_any({"else", "do"})) return true;
    return (in_block() || in_switch()) && tokens_[last].is_any({";", "{", "}", ":"});
  }

  // `struct alignas(16) {`, `struct __attribute__((packed)) {`: does the ")" end what says how a type lies in
  // memory? Behind parameters or a capture it says something about a function.
  bool is_attribute_of_type(std::size_t close) const {
    bool attribute = false;
    while (close < tokens_.size() && tokens_[close].is(")")) {
      const std::size_t word = before(opening_bracket(tokens_, close));
      if (word >= tokens_.size() || !tokens_[word].is_any({"__attribute__", "alignas"})) return false;
      attribute = true;
      close = before(word);
    }
    return attribute && close < tokens_.size() && tokens_[close].is_word();
  }

  // `switch (x) {`: control jumps past what is declared there to the labels, which C++ allows only where
  // nothing is constructed.
  bool is_switch(std::size_t open) const {
    const std::size_t close = before(open);
    if (close >= tokens_.size() || !tokens_[close].is(")")) return false;
    const std::size_t word = before(opening_bracket(tokens_, close));
    return word < tokens_.size() && tokens_[word].is("switch");
  }

  // Behind the type that begins at i; 0 where none does.
  std::size_t behind_type(std::size_t i) const {
    while (i < tokens_.size() && tokens_[i].is_any({"thread", "volatile", "typename", "::"}))
      i = next_significant(tokens_, i);
    if (i >= tokens_.size() || !tokens_[i].is_word() || begins_other(tokens_[i])) return 0;
    if (is_part_of_number_type(tokens_[i])) {
      while (i < tokens_.size() && is_part_of_number_type(tokens_[i])) i = next_significant(tokens_, i);
      return i;
    }
    for (;;) {
      i = next_significant(tokens_, i);
      if (i < tokens_.size() && tokens_[i].is("<")) i = next_significant(tokens_, closing_angle(tokens_, i));
      if (i >= tokens_.size() || !tokens_[i].is("::")) return i;
      i = next_significant(tokens_, i);
      if (i >= tokens_.size() || !tokens_[i].is_word()) return 0;
    }
  }

  // Two words in a row, or a type with arguments and a word, are a declaration wherever a statement may
  // begin.
  void declaration(std::size_t begin) {
    std::size_t i = behind_type(begin);
    if (i == 0 || i >= tokens_.size() || !tokens_[i].is_word()) return;
    std::vector<std::size_t> names;
    for (bool first = true;; first = false) {
      const std::size_t name = i;
      if (tokens_[name].is_word()) i = next_significant(tokens_, i);
      while (i < tokens_.size() && tokens_[i].is("["))
        i = next_significant(tokens_, closing_bracket(tokens_, i));
      if (i >= tokens_.size() || (first && !tokens_[i].is_any({",", ";", "=", "{", "("}))) return;
      if (tokens_[name].is_word() && tokens_[i].is_any({",", ";"})) names.push_back(name);
      while (i < tokens_.size() && !tokens_[i].is_any({",", ";"})) {
        if (tokens_[i].is_any({"(", "{", "["})) i = closing_bracket(tokens_, i);
        i = next_significant(tokens_, i);
      }
      if (i >= tokens_.size()) return;
      if (tokens_[i].is(";")) break;
      i = next_significant(tokens_, i);
      if (i >= tokens_.size()) return;
    }
    for (const std::size_t one : names) found_.push_back({one, i});
  }

  const Tokens& tokens_;
  std::vector<char> open_;
  std::vector<PrivateVariable> found_;
};

}  // namespace

std::vector<PrivateVariable> private_variables_of(const TokenText& text) { return Finder(text).run(); }

void watch_private_variables(TokenText& text, const std::vector<PrivateVariable>& variables) {
  for (std::size_t number = 0; number < variables.size(); ++number) {
    const Token& name = text.tokens[variables[number].name];
    text.tokens[variables[number].end].after += fmt::format(
        " ::assay_msl::private_watch assay_watch_{0}({1}, {0}, \"{1}\", {2});", number, name.text, name.line);
  }
}

}  // namespace assay::metal
