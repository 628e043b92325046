// Integer constant expressions in attributes: `[[function_constant(BASE + 3)]]`,
// `[[function_constant(kIndex)]]`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// The enumerators and integer constants of a text. Its tokens may be rewritten in the meantime, but not
/// move.
class IntegerConstants {
 public:
  explicit IntegerConstants(const TokenText& text) : tokens_(text.tokens) {}

  /// Value of literals and of constants of the text, with + - * / % << >> & | ^ ~ and parentheses. Nothing if
  /// it is made of anything else.
  std::optional<std::int64_t> value(std::string_view expression);

  const std::vector<Token>& tokens() const { return tokens_; }
  /// Where the text has this word, in order.
  const std::vector<std::size_t>& places_of(const std::string& word);

 private:
  const std::vector<Token>& tokens_;
  std::map<std::string, std::vector<std::size_t>> places_;  // of all words, once one is asked for
};

}  // namespace assay::metal
