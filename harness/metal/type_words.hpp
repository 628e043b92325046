// Which words of a Metal text name types: those that are declared as types.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Where the words of a text name types. There is no list of names and no rule of spelling: a name is a
/// type's where the text declares it as one, in the scope that it is declared in, or where the stand-in
/// library does (library_types.hpp). What a scope declares hides what the scopes around it have, whichever it
/// is: `uint block` is a value though the file has a struct `block`. Types of classes and namespaces count
/// wherever they are not hidden: `Loader::chunk`, members that are inherited, `using namespace`. The passes
/// do not look up more than that; a name that the text and the library do not declare is no type.
class TypeWords {
 public:
  explicit TypeWords(const TokenText& text);

  /// Does the token at `i` name a type? Those that were rewritten do not.
  bool is_type(std::size_t i) const { return i < types_.size() && types_[i] && tokens_[i].is_word(); }
  /// Does the word at `i`, with a "*" behind it, declare a pointer? That is so where no value can stand, and
  /// where a product would be a statement, which nobody writes.
  bool declares_pointer(std::size_t i) const;
  /// The bracket that the closing one at `i` closes; the number of tokens if there is none.
  std::size_t opening(std::size_t i) const { return openings_[i]; }

 private:
  void note_brackets();
  bool begins_statement(std::size_t brace, std::size_t i) const;
  bool is_parameter_list(std::size_t open) const;

  const std::vector<Token>& tokens_;
  std::vector<bool> types_;             ///< by token
  std::vector<std::size_t> openings_;   ///< of each closing bracket
  std::vector<std::size_t> enclosing_;  ///< the innermost bracket that is open at a token
};

}  // namespace assay::metal
