#include "harness/metal/text/landmarks.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/metal/text/live.hpp"

namespace assay::metal {
namespace {

constexpr std::int64_t kLeast = 2, kLargest = 1 << 16;
constexpr std::size_t kMostOfText = 24, kMostOfPairs = 40;
/// Of one expression: a table of numbers is none.
constexpr std::size_t kMostInExpression = 8;

bool ends_expression(const Token& token) { return token.is_any({";", "{", "}", ","}); }

std::optional<std::int64_t> whole_number(std::string_view literal) {
  const bool hexadecimal = literal.starts_with("0x") || literal.starts_with("0X");
  const std::string_view digits = literal.substr(hexadecimal ? 2 : 0);
  std::int64_t value = 0;
  const auto end =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  const std::string_view suffix(end.ptr, static_cast<std::size_t>(digits.data() + digits.size() - end.ptr));
  if (end.ec != std::errc() || suffix.find_first_not_of("uUlL") != suffix.npos) return std::nullopt;
  return value;
}

/// Those that are least, for small ones cost least.
std::vector<std::int64_t> first_of(const std::set<std::int64_t>& all, std::size_t most) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, all.size()));
  return {all.begin(), std::next(all.begin(), count)};
}

}  // namespace

std::vector<std::int64_t> landmarks_of(const TokenText& text, const Outline& outline) {
  const auto live = live_tokens(text, outline);
  std::map<std::string, std::int64_t> named;
  for (const NamedNumbers& one : outline.named)
    if (one.values.size() == 1) named[one.name] = one.values.front();
  std::set<std::int64_t> own, made;
  std::set<std::int64_t> here;  // of one expression
  const auto close = [&] {
    if (here.size() <= kMostInExpression) {
      for (auto a = here.begin(); a != here.end(); ++a) {
        for (auto b = a; b != here.end(); ++b) {
          for (const std::int64_t value : {*a + *b, *a * *b})
            if (value <= kLargest && (a != b || value == *a * *b)) made.insert(value);
        }
      }
    }
    here.clear();
  };
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const Token& token = text.tokens[i];
    if (!live[i]) continue;
    if (token.is("[") && i + 1 < text.tokens.size() && text.tokens[i + 1].is("[")) {  // an attribute
      i = closing_bracket(text.tokens, i);
      continue;
    }
    if (ends_expression(token)) close();
    const auto known = named.find(token.text);
    const auto value = token.kind == TokenKind::number ? whole_number(token.text)
                       : known != named.end()          ? std::optional(known->second)
                                                       : std::nullopt;
    if (!value || *value < kLeast || *value > kLargest) continue;
    own.insert(*value);
    here.insert(*value);
  }
  close();
  for (const std::int64_t value : own) made.erase(value);
  auto all = first_of(own, kMostOfText);
  const auto more = first_of(made, kMostOfPairs);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace assay::metal
