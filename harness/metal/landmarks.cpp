#include "harness/metal/landmarks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/metal/constant_expression.hpp"

namespace assay::metal {
namespace {

constexpr std::int64_t kLeast = 2, kLargest = 1 << 16;
constexpr std::size_t kMostOfText = 24, kMostOfPairs = 40;
/// Of one expression: a table of numbers is none.
constexpr std::size_t kMostInExpression = 8;

bool ends_expression(const Token& token) { return token.is_any({";", "{", "}", ","}); }

/// Those that are least, for small ones cost least.
std::vector<std::int64_t> first_of(const std::set<std::int64_t>& all, std::size_t most) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, all.size()));
  return {all.begin(), std::next(all.begin(), count)};
}

}  // namespace

std::vector<std::int64_t> landmarks_of(const TokenText& text, const std::vector<bool>& live) {
  IntegerConstants constants(text);
  std::map<std::string, std::optional<std::int64_t>> known;
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
    if (token.kind != TokenKind::number && !token.is_word()) continue;
    const auto [at, added] = known.try_emplace(token.text);
    if (added) at->second = constants.value(token.text);
    if (!at->second || *at->second < kLeast || *at->second > kLargest) continue;
    own.insert(*at->second);
    here.insert(*at->second);
  }
  close();
  for (const std::int64_t value : own) made.erase(value);
  auto all = first_of(own, kMostOfText);
  const auto more = first_of(made, kMostOfPairs);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace assay::metal
