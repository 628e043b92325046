// What a token is part of, as far as the operators need to know.
#pragma once

#include <string_view>
#include <vector>

#include "harness/metal/token.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {

class Grammar {
 public:
  Grammar(const metal::TokenText& text, const std::vector<bool>& live);

  const std::vector<metal::Token>& tokens() const { return tokens_; }
  std::size_t size() const { return tokens_.size(); }
  const metal::Token& operator[](std::size_t i) const { return tokens_[i]; }
  bool is(std::size_t i, std::string_view text) const { return i < size() && tokens_[i].is(text); }

  /// Significant neighbours; size() where there is none.
  std::size_t next(std::size_t i) const { return metal::next_significant(tokens_, i); }
  std::size_t previous(std::size_t i) const { return metal::previous_significant(tokens_, i); }

  /// May token i be changed at all?
  bool open(std::size_t i) const { return open_[i]; }
  /// Is it inside the body of a function?
  bool in_body(std::size_t i) const { return in_body_[i]; }
  /// A bracket of a template's arguments?
  bool angle(std::size_t i) const { return angle_[i]; }
  /// The name of a type (type_words.hpp).
  bool is_type(std::size_t i) const;
  bool is_keyword(std::size_t i) const;

  /// An operator with an operand on its left (and no part of a declarator)?
  bool binary(std::size_t i) const;
  /// A word that is called at the "(" at `open`, and not declared there.
  bool call(std::size_t open) const;
  /// A "[" that takes an element, rather than declaring an array.
  bool subscript(std::size_t open) const;

  /// The parts of a bracket's inside between commas at its own depth. Empty where it holds statements.
  std::vector<metal::TokenRange> parts(std::size_t open) const;
  /// The range without the white space around it.
  metal::TokenRange trimmed(metal::TokenRange range) const;

  /// Statements in the bodies: [first token, its ";"]. Declarations are none.
  const std::vector<metal::TokenRange>& statements() const { return statements_; }

 private:
  void close_parts();
  void find_bodies();
  void find_angles();
  void find_statements();
  bool declares(std::size_t i, std::size_t end) const;

  const metal::TokenText& text_;
  const std::vector<metal::Token>& tokens_;
  TypeWords types_;
  std::vector<bool> open_, in_body_, angle_;
  std::vector<metal::TokenRange> statements_;
};

}  // namespace assay::metal
