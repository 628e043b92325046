#include "harness/metal/address_space.hpp"

#include <algorithm>
#include <array>

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

bool is_specifier(const Token& token) {
  static constexpr std::array<std::string_view, 8> kWords = {"static",   "inline", "volatile", "typename",
                                                             "constant", "extern", "mutable",  "unsigned"};
  return token.is_word() && std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
}

bool is_const(const Token& token) { return token.is("const") || token.is("constexpr"); }

// Is `const` or `constexpr` written in the specifiers around a `constant` at i, or behind the type there?
bool has_const(const Tokens& tokens, std::size_t i) {
  for (auto j = previous_significant(tokens, i); j < tokens.size(); j = previous_significant(tokens, j)) {
    if (is_const(tokens[j])) return true;
    if (!is_specifier(tokens[j])) break;
  }
  for (auto j = next_significant(tokens, i); j < tokens.size(); j = next_significant(tokens, j)) {
    if (is_const(tokens[j])) return true;
    if (tokens[j].is("<")) {
      j = closing_angle(tokens, j);
      if (j >= tokens.size()) break;
    } else if (!tokens[j].is_word() && !tokens[j].is("::")) {
      break;
    }
  }
  return false;
}

}  // namespace

void erase_address_spaces(TokenText& text) {
  auto& tokens = text.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    if (token.is("device") || token.is("thread") || token.is("threadgroup")) {
      token.rewrite();
    } else if (token.is("constant")) {
      const bool once = has_const(tokens, i);  // a second `constant` of one declaration counts as written
      token.rewrite(once ? "" : "const");
    }
  }
}

}  // namespace assay::metal
