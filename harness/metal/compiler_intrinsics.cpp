#include "harness/metal/compiler_intrinsics.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// What stands in for the function with that label, by the label's words ahead of its types; nothing if
// nothing does.
std::optional<std::string_view> stand_in(std::string_view label) {
  for (const std::string_view name :
       {"simdgroup_async_copy_1d", "simdgroup_async_copy_2d", "wait_simdgroup_events"}) {
    const std::string whole = fmt::format("air.{}", name);
    if (label == whole || label.starts_with(whole + '.')) return name;
  }
  return std::nullopt;
}

struct Label {
  TokenRange range;        ///< from `__asm` to its ")"
  std::string_view words;  ///< without the quotes
};

// Behind a declarator, and a plain string: a label. Nothing for inline assembly.
std::optional<Label> label_at(const Tokens& tokens, std::size_t i) {
  const auto open = next_significant(tokens, i), close = closing_bracket(tokens, open);
  const auto name = next_significant(tokens, open), before = previous_significant(tokens, i);
  const bool behind_declarator =
      before < tokens.size() && (tokens[before].is(")") || tokens[before].is_word());
  if (close >= tokens.size() || !tokens[open].is("(") || !behind_declarator || name >= close ||
      tokens[name].kind != TokenKind::string || next_significant(tokens, name) != close) {
    return std::nullopt;
  }
  const std::string_view string = tokens[name].text;
  return Label{{i, close + 1}, string.substr(1, string.size() - 2)};
}

// The declaration `type name(...) label;` around a label: from its first token to its ";", and where the name
// stands.
struct Declared {
  TokenRange range;
  std::size_t name;
};
std::optional<Declared> declared_by(const Tokens& tokens, const TokenRange& label) {
  const auto close = previous_significant(tokens, label.begin);
  const auto open = close < tokens.size() ? opening_bracket(tokens, close) : tokens.size();
  const auto name = open < tokens.size() ? previous_significant(tokens, open) : tokens.size();
  const auto end = next_significant(tokens, label.end - 1);
  if (name >= tokens.size() || !tokens[name].is_word() || end >= tokens.size() || !tokens[end].is(";"))
    return std::nullopt;
  auto begin = name;
  for (auto i = name; i < tokens.size() && !tokens[i].is_any({";", "{", "}"});
       i = previous_significant(tokens, i)) {
    begin = i;
  }
  return Declared{{begin, end + 1}, name};
}

}  // namespace

void replace_compiler_intrinsics(TokenText& text) {
  Tokens& tokens = text.tokens;
  std::map<std::string, std::string_view> replaced;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_any({"__asm", "__asm__", "asm"})) continue;
    const auto label = label_at(tokens, i);
    if (!label) {
      throw UnsupportedFeature(text.files[tokens[i].file], tokens[i].line,
                               "inline assembly is not supported");
    }
    const std::string words(label->words);
    const auto type = stand_in(words);
    const auto declared = type ? declared_by(tokens, label->range) : std::nullopt;
    const std::string name = declared ? tokens[declared->name].text : "";
    if (const auto before = replaced.find(name);
        declared && (before == replaced.end() || before->second == *type)) {
      erase_range(tokens, declared->range);
      if (before == replaced.end())
        tokens[declared->range.begin].rewrite(
            fmt::format("constant constexpr assay_msl::{} {}{{}};", *type, name));
      replaced.emplace(name, *type);
      continue;
    }
    erase_range(tokens, label->range);
    tokens[i].rewrite(fmt::format(
        "__attribute__((error(\"assay: `{}`: functions of Apple's compiler are not supported\")))", words));
  }
}

}  // namespace assay::metal
