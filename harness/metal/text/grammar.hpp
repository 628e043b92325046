// What a token is part of, as far as the operators of mutation need to know: what the tree says of its place.
#pragma once

#include <string_view>
#include <vector>

#include "harness/metal/text/outline.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {

class Grammar {
 public:
  /// `live`: what may be changed, by token. `syntax`: of the same text.
  Grammar(const TokenText& text, const std::vector<bool>& live, const Syntax& syntax);

  const std::vector<Token>& tokens() const { return tokens_; }
  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t i) const { return tokens_[i]; }
  bool is(std::size_t i, std::string_view text) const { return i < size() && tokens_[i].is(text); }

  /// Significant neighbours; size() where there is none.
  std::size_t next(std::size_t i) const { return next_significant(tokens_, i); }
  std::size_t previous(std::size_t i) const { return previous_significant(tokens_, i); }

  /// May token i be changed at all?
  bool open(std::size_t i) const { return open_[i]; }
  /// Is it inside the body of a function?
  bool in_body(std::size_t i) const { return in_body_[i]; }
  /// An operator between two operands?
  bool binary(std::size_t i) const { return operators_[i]; }
  /// A "(" ahead of arguments.
  bool call(std::size_t open) const { return in_body_[open] && closes(calls_, open); }
  /// A "[" that takes an element, rather than declaring an array.
  bool subscript(std::size_t open) const { return in_body_[open] && closes(subscripts_, open); }
  /// A "{" ahead of values.
  bool list(std::size_t open) const { return lists_[open]; }
  /// A ";" behind a variable that begins with no value.
  bool unset(std::size_t semicolon) const { return in_body_[semicolon] && unset_[semicolon]; }

  /// The parts of a bracket's inside between commas at its own depth. Empty where it holds statements.
  std::vector<TokenRange> parts(std::size_t open) const;
  /// The range without the white space around it.
  TokenRange trimmed(TokenRange range) const;

  /// Statements in the bodies: [first token, its ";"]. Declarations are none.
  const std::vector<TokenRange>& statements() const { return statements_; }
  /// What statements and "?" ask, in the order of the text.
  const std::vector<TokenRange>& conditions() const { return conditions_; }

 private:
  void find_places();
  std::size_t token_at(std::uint32_t byte) const;
  std::vector<TokenRange> ranges(const Syntax::Ranges& bytes) const;
  std::vector<bool> marked(const Syntax::Bytes& bytes) const;
  void close(TokenRange range);
  void close_attributes();
  bool closes(const std::vector<bool>& closing, std::size_t open) const;

  const std::vector<Token>& tokens_;
  std::vector<std::uint32_t> bytes_;  ///< where each token begins
  std::vector<bool> open_, in_body_, operators_, calls_, subscripts_, lists_, unset_;
  std::vector<TokenRange> statements_, conditions_;
};

}  // namespace assay::metal
