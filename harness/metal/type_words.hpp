// Which words of a Metal text name types, as far as can be told without knowing what they stand for.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// The built-in types, those of Metal's library, those that the text declares, and the words that can only be
/// types where they stand.
class TypeWords {
 public:
  explicit TypeWords(const TokenText& text);

  bool is_type(const Token& token) const;
  /// Does the word at `i`, with a "*" behind it, declare a pointer? That is so where no value can stand, and
  /// where a product would be a statement, which nobody writes.
  bool declares_pointer(std::size_t i) const;
  /// The bracket that the closing one at `i` closes; the number of tokens if there is none.
  std::size_t opening(std::size_t i) const { return openings_[i]; }

 private:
  void note_brackets();
  void note_declaration(std::size_t keyword);
  void note_typedef(std::size_t keyword);
  bool begins_statement(std::size_t brace, std::size_t i) const;
  bool is_parameter_list(std::size_t open) const;

  const std::vector<Token>& tokens_;
  std::set<std::string, std::less<>> types_;
  std::vector<std::size_t> openings_;   ///< of each closing bracket
  std::vector<std::size_t> enclosing_;  ///< the innermost bracket that is open at a token
};

}  // namespace assay::metal
