#include "harness/metal/dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/metal/errors.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

bool is_vector_attribute(const Token& token) {
  return token.is("ext_vector_type") || token.is("__ext_vector_type__");
}

// The statement around token i, without its ";".
TokenRange statement_around(const Tokens& tokens, std::size_t i) {
  TokenRange range{i, i};
  const auto stops = [](const Token& token) { return token.is(";") || token.is("{") || token.is("}"); };
  while (range.begin > 0 && !stops(tokens[range.begin - 1])) --range.begin;
  while (range.end < tokens.size() && !stops(tokens[range.end])) ++range.end;
  return range;
}

// `half __attribute__((...)) x`: the words of the type stand right before it.
bool rewrite_behind_type(TokenText& text, std::size_t attribute, const std::string& width) {
  Tokens& tokens = text.tokens;
  auto begin = attribute;
  while (begin > 0 && !tokens[begin].is_any({"__attribute__", "__attribute"})) --begin;
  const auto end = closing_bracket(tokens, next_significant(tokens, begin));
  const TypeWords types(text);
  auto first = begin;
  for (auto i = previous_significant(tokens, begin); types.is_type(i); i = previous_significant(tokens, i))
    first = i;
  if (first == begin || end >= tokens.size() || end <= attribute) return false;
  const auto type = fmt::format("metal::vec<{}, {}>", text_of(tokens, {first, begin}), width);
  erase_range(tokens, {first, end + 1});
  tokens[first].rewrite(type);
  return true;
}

// `typedef half half4_t __attribute__((...))`, `using half4_t = half __attribute__((...))`, and the same
// behind `template <...>`.
void rewrite_vector_type(TokenText& text, std::size_t attribute) {
  Tokens& tokens = text.tokens;
  const auto range = statement_around(tokens, attribute);
  const auto open = next_significant(tokens, attribute);
  const auto width = open < tokens.size() ? text_of(tokens, {open + 1, closing_bracket(tokens, open)}) : "";
  const auto refuse = [&] {
    throw UnsupportedFeature(
        text.files[tokens[attribute].file], tokens[attribute].line,
        "`ext_vector_type` is supported only behind a type, in `typedef` and in `using`");
  };
  std::vector<std::string> words;
  std::string name;
  auto first = next_significant(tokens, range.begin - 1);
  if (first < range.end && tokens[first].is("template")) {
    const auto close = closing_angle(tokens, next_significant(tokens, first));
    first = next_significant(tokens, std::min(close, tokens.size() - 1));
  }
  if (first >= range.end || !tokens[first].is_any({"typedef", "using"})) {
    if (!rewrite_behind_type(text, attribute, width)) refuse();
    return;
  }
  const bool alias = tokens[first].is("using");
  for (std::size_t i = first + 1; i < range.end; ++i) {
    if (tokens[i].is("__attribute__")) {
      i = closing_bracket(tokens, next_significant(tokens, i));
    } else if (const auto end = attribute_end(tokens, i)) {
      i = *end - 1;
    } else if (tokens[i].is("=") && words.size() == 1) {
      name = words[0];
      words.clear();
    } else if (tokens[i].significant()) {
      if (tokens[i].is_any({",", "[", "*", "&"})) refuse();
      words.push_back(tokens[i].text);
    }
  }
  if (name.empty() && !words.empty()) {
    name = words.back();
    words.pop_back();
  }
  if (words.empty() || name.empty()) refuse();
  const auto type = fmt::format("metal::vec<{}, {}>", fmt::join(words, " "), width);
  const auto rewritten =
      alias ? fmt::format("using {} = {}", name, type) : fmt::format("typedef {} {}", type, name);
  erase_range(tokens, {first, range.end});
  tokens[first].rewrite(rewritten);
}

}  // namespace

void erase_attributes(TokenText& text) {
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    // Calls of checked code are inlined, which is not for the text to forbid.
    if (text.tokens[i].is("noinline") || text.tokens[i].is("__noinline__")) text.tokens[i].rewrite("unused");
    if (const auto end = attribute_end(text.tokens, i)) erase_range(text.tokens, {i, *end});
    // Of loops, as `__attribute__((opencl_unroll_hint(4)))`.
    if (!text.tokens[i].is_any({"__attribute__", "__attribute"})) continue;
    const auto close = closing_bracket(text.tokens, next_significant(text.tokens, i));
    const auto behind = next_significant(text.tokens, close);
    if (behind < text.tokens.size() && text.tokens[behind].is_any({"for", "while", "do"}))
      erase_range(text.tokens, {i, close + 1});
  }
}

void rewrite_vector_types(TokenText& text) {
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    if (is_vector_attribute(text.tokens[i])) rewrite_vector_type(text, i);
  }
}

void plain_line_markers(TokenText& text) {
  for (auto& token : text.tokens) {
    if (token.kind != TokenKind::directive || token.text.size() < 3 || token.text[1] != ' ') continue;
    const auto quote = token.text.rfind('"');
    if (quote != std::string::npos) token.text.erase(quote + 1);
  }
}

}  // namespace assay::metal
