#include "harness/metal/constant_initialisers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// Does a variable with an initialiser, that is not known to be constant, stand in this statement?
bool wants_constant(const Tokens& tokens, TokenRange statement) {
  std::size_t last = tokens.size();  // the word before the initialiser
  for (std::size_t i = statement.begin; i < statement.end; ++i) {
    const Token& token = tokens[i];
    if (!token.significant()) continue;
    if (token.is("=") || token.is("{")) {
      // `T S::x = ...`: a declaration of it went before.
      const auto before = previous_significant(tokens, last);
      return last < tokens.size() && !(before < tokens.size() && tokens[before].is("::"));
    }
    if (token.is_any({"typedef", "using", "static_assert", "friend", "struct", "class", "union", "enum",
                      "operator", "extern", "constexpr", "constinit", "__constinit", "consteval",
                      "threadgroup", "function_constant", "namespace", "template", ";"})) {
      return false;
    }
    if (token.is("__attribute__") || token.is("alignas")) {
      i = closing_bracket(tokens, next_significant(tokens, i));
    } else if (token.is("[")) {  // a bound, or an attribute, which may be that of a function constant
      const auto close = std::min(closing_bracket(tokens, i), statement.end);
      for (auto k = i; k < close; ++k) {
        if (tokens[k].is("function_constant")) return false;
      }
      i = close;
    } else if (token.is("<")) {
      const auto close = closing_angle(tokens, i);
      if (close < statement.end) i = close;
    } else if (token.is("(")) {
      return false;  // a function, or an initialiser that looks like its parameters
    } else if (token.is_word()) {
      last = i;
    }
  }
  return false;
}

// The name of a variable that this statement declares, and that can be written to; tokens.size() where there
// is none that is known to be. Those of a constructor's form are found in the object.
std::size_t writable_variable(const Tokens& tokens, TokenRange statement) {
  std::size_t last = tokens.size(), words = 0;
  for (std::size_t i = statement.begin; i < statement.end; ++i) {
    const Token& token = tokens[i];
    if (!token.significant()) continue;
    if (token.is_any({"=", "{", ";", "["})) {
      const bool attribute = token.is("[") && tokens[next_significant(tokens, i)].is("[");
      if (!attribute) {
        // `T S::x = ...`: a declaration of it went before.
        return words > 1 && !tokens[previous_significant(tokens, last)].is("::") ? last : tokens.size();
      }
      i = closing_bracket(tokens, i);
    } else if (token.is_any({"typedef",     "using",     "static_assert", "friend",   "struct",
                             "class",       "union",     "enum",          "operator", "extern",
                             "const",       "constexpr", "constinit",     "constant", "consteval",
                             "threadgroup", "namespace", "template",      "(",        "export",
                             "goto",        "return"})) {
      return tokens.size();
    } else if (token.is("__attribute__") || token.is("alignas")) {
      i = closing_bracket(tokens, next_significant(tokens, i));
    } else if (token.is("<")) {
      const auto close = closing_angle(tokens, i);
      if (close < statement.end) i = close;
    } else if (token.is_word() && !token.is_any({"static", "inline", "thread", "volatile", "device"})) {
      last = i;
      ++words;
    }
  }
  return tokens.size();
}

void refuse_writable(const TokenText& text, TokenRange statement) {
  const auto name = writable_variable(text.tokens, statement);
  if (name >= text.tokens.size()) return;
  const Token& token = text.tokens[name];
  throw CompileError(
      text.files[token.file], token.line,
      fmt::format("`{}` is shared by all threads and can be written to, which Metal does not allow; write "
                  "`constant` if nothing writes to it",
                  token.text));
}

// Into what is before `i`: passes that follow look at a token's text only.
void mark(Tokens& tokens, std::size_t i) {
  if (i > 0 && tokens[i - 1].kind != TokenKind::directive) tokens[i - 1].after += " __constinit ";
}

void check_static_variables(TokenText& text, TokenRange body) {
  Tokens& tokens = text.tokens;
  std::size_t begin = body.begin;  // of the statement
  for (std::size_t i = body.begin; i < body.end; ++i) {
    if (tokens[i].is_any({";", "{", "}"})) begin = i + 1;
    if (!tokens[i].is("static")) continue;
    refuse_writable(text, {begin, body.end});
    if (wants_constant(tokens, {begin, body.end})) mark(tokens, i);
  }
}

}  // namespace

void demand_constant_initialisers(TokenText& text, const std::vector<Declaration>& declarations) {
  for (const Declaration& d : declarations) {
    if (d.kind == DeclarationKind::function && d.body) {
      check_static_variables(text, {*d.body, d.range.end});
    } else if (d.kind == DeclarationKind::other && !d.explicit_specialisation) {
      refuse_writable(text, {d.header, d.range.end});
      if (wants_constant(text.tokens, {d.header, d.range.end})) mark(text.tokens, d.header);
    }
  }
}

}  // namespace assay::metal
