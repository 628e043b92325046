#include "harness/metal/address_space.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

bool is_specifier(const Token& token) {
  static constexpr std::array<std::string_view, 6> kWords = {"static",   "inline",  "volatile",
                                                             "constant", "typename", "mutable"};
  return std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
}

// Is `const` or `constexpr` written in the specifiers around a `constant` at i?
bool has_const(const Tokens& tokens, std::size_t i) {
  const auto is_const = [&](std::size_t at) { return tokens[at].is("const") || tokens[at].is("constexpr"); };
  for (auto j = next_significant(tokens, i); j < tokens.size(); j = next_significant(tokens, j)) {
    if (is_const(j)) return true;
    if (!tokens[j].text.empty() && !is_specifier(tokens[j])) break;
  }
  for (auto j = previous_significant(tokens, i); j < tokens.size(); j = previous_significant(tokens, j)) {
    if (is_const(j)) return true;
    if (!tokens[j].text.empty() && !is_specifier(tokens[j])) break;
  }
  return false;
}

class Eraser {
 public:
  explicit Eraser(TokenText& text) : tokens_(text.tokens) {}

  std::vector<std::string> slots;

  void run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      Token& token = tokens_[i];
      if (token.kind == TokenKind::punctuator) track(token);
      if (token.kind != TokenKind::identifier) continue;
      if (token.is("device") || token.is("thread")) {
        token.text.clear();
      } else if (token.is("constant")) {
        token.text = has_const(tokens_, i) ? "" : "const";
      } else if (token.is("threadgroup")) {
        if (!at_statement(i) || !declare(i)) token.text.clear();
      }
    }
  }

 private:
  void track(const Token& token) {
    if (token.is("(") || token.is("{") || token.is("[")) open_.push_back(token.text[0]);
    if ((token.is(")") || token.is("}") || token.is("]")) && !open_.empty()) open_.pop_back();
  }

  // Could a declaration begin at i? Only braces around it, and nothing but specifiers before it.
  bool at_statement(std::size_t i) const {
    if (!open_.empty() && open_.back() != '{') return false;
    for (auto j = previous_significant(tokens_, i); j < tokens_.size(); j = previous_significant(tokens_, j)) {
      const Token& before = tokens_[j];
      if (before.text.empty() || is_specifier(before)) continue;
      const char last = before.text.back();  // of a token, or of a declaration already rewritten
      return last == ';' || before.is("{") || before.is("}") || before.is(":") || before.is(")");
    }
    return true;
  }

  // Rewrites `threadgroup TYPE a[2], b;`. False if it declares pointers, references or a function.
  bool declare(std::size_t at) {
    std::size_t end = at;
    std::vector<std::size_t> names;  // the identifier before each of , [ ; at depth 0
    std::vector<std::size_t> commas;
    std::size_t last_identifier = tokens_.size();
    bool named = false;
    for (end = at + 1; end < tokens_.size(); ++end) {
      const Token& token = tokens_[end];
      if (!token.significant() || token.text.empty()) continue;
      if (token.is("*") || token.is("&") || token.is("(") || token.is("=") || token.is("{")) return false;
      if (token.is("<")) {
        end = closing_angle(tokens_, end);
        continue;
      }
      const bool stop = token.is(";") || token.is(",");
      if ((stop || token.is("[")) && !named) {
        if (last_identifier >= tokens_.size()) return false;
        names.push_back(last_identifier);
        named = true;
      }
      if (token.is("[")) {
        end = closing_bracket(tokens_, end);
        continue;
      }
      if (token.is(",")) {
        commas.push_back(end);
        named = false;
        last_identifier = tokens_.size();
      }
      if (token.is(";")) break;
      if (token.kind == TokenKind::identifier) last_identifier = end;
    }
    if (end >= tokens_.size() || names.size() != commas.size() + 1) return false;
    rewrite(at, end, names, commas);
    return true;
  }

  void rewrite(std::size_t at, std::size_t end, const std::vector<std::size_t>& names,
               const std::vector<std::size_t>& commas) {
    std::string type;
    for (std::size_t i = at + 1; i < names[0]; ++i) {
      if (tokens_[i].significant()) type += tokens_[i].text + " ";
    }
    std::string text;
    for (std::size_t d = 0; d < names.size(); ++d) {
      std::string bounds;
      const std::size_t stop = d < commas.size() ? commas[d] : end;
      for (std::size_t i = names[d] + 1; i < stop; ++i) {
        if (tokens_[i].significant()) bounds += tokens_[i].text;
      }
      const auto& name = tokens_[names[d]].text;
      text += fmt::format("typedef {0} assay_t{1}{2}; assay_t{1}& {3} = assay_slot<{1}, assay_t{1}>();", type,
                          slot_, bounds, name);
      ++slot_;
      slots.push_back(name);
    }
    for (std::size_t i = at; i <= end; ++i) {
      if (tokens_[i].significant()) tokens_[i].text.clear();
    }
    tokens_[at].text = text;
  }

  Tokens& tokens_;
  std::vector<char> open_;
  std::size_t slot_ = 0;
};

}  // namespace

std::vector<std::string> erase_address_spaces(TokenText& text) {
  Eraser eraser(text);
  eraser.run();
  return std::move(eraser.slots);
}

}  // namespace assay::metal
