// Preprocessed Metal text as tokens, white space included: together they are the text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metal {

enum class TokenKind : std::uint8_t {
  space,      ///< white space and comments, newlines included
  directive,  ///< a whole line that starts with '#': line markers and pragmas
  identifier,
  number,
  string,      ///< string or character literal
  punctuator,  ///< "[[", "]]" and ">>" are not joined; "::", "->" and the like are
};

struct Token {
  TokenKind kind{};
  std::string text;
  std::uint32_t file = 0;  ///< index into TokenText::files
  std::uint32_t line = 0;  ///< in that file

  bool is(std::string_view other) const { return text == other; }
  bool is_any(std::initializer_list<std::string_view> others) const {
    return std::any_of(others.begin(), others.end(), [&](std::string_view other) { return is(other); });
  }
  bool is_word() const { return kind == TokenKind::identifier; }
  bool significant() const {
    return kind == TokenKind::punctuator || is_word() || kind == TokenKind::number ||
           kind == TokenKind::string;
  }
};

/// Half-open range of token indices.
struct TokenRange {
  std::size_t begin = 0, end = 0;
};

struct TokenText {
  std::vector<std::string> files;
  std::vector<Token> tokens;

  std::string str() const;
};

/// Splits preprocessed text; follows `# line "file"` markers. Never fails: bytes it does not know become
/// punctuators, which the compiler then refuses at their line.
TokenText tokenize(std::string_view text, std::string_view file);

/// Index of the significant token after / before `i`, or tokens.size() if there is none.
std::size_t next_significant(std::span<const Token> tokens, std::size_t i);
std::size_t previous_significant(std::span<const Token> tokens, std::size_t i);

/// Index of the bracket that closes the one at `open` ("(", "[", "{"), or tokens.size().
std::size_t closing_bracket(std::span<const Token> tokens, std::size_t open);

/// Index of the ">" that closes the "<" at `open` in a type context, or tokens.size().
std::size_t closing_angle(std::span<const Token> tokens, std::size_t open);

/// How many tokens the walks above have looked at so far on this thread: what a pass costs, the same on
/// every machine.
std::uint64_t tokens_visited();

/// The tokens of a range joined, each run of white space as one blank.
std::string text_of(std::span<const Token> tokens, TokenRange range);

}  // namespace assay::metal
