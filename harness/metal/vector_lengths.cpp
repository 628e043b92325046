#include "harness/metal/vector_lengths.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "harness/metal/signature.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// The words of an integer's type, and the name behind them, of `uint N`, `const unsigned int N = 4`.
struct Length {
  std::vector<std::size_t> type;
  std::size_t name = 0;
};
bool read_length(const Tokens& tokens, TokenRange range, Length& found) {
  std::vector<std::size_t> words;
  for (auto i = range.begin; i < range.end && !tokens[i].is("="); ++i) {
    if (tokens[i].significant()) words.push_back(i);
  }
  if (words.size() < 2) return false;
  found.name = words.back();
  words.pop_back();
  const bool integer = std::all_of(words.begin(), words.end(), [&](std::size_t i) {
    return tokens[i].is_any({"const",    "constant", "unsigned", "signed",  "short",   "ushort",
                             "char",     "uchar",    "int",      "uint",    "long",    "ulong",
                             "size_t",   "int8_t",   "int16_t",  "int32_t", "int64_t", "uint8_t",
                             "uint16_t", "uint32_t", "uint64_t"});
  });
  found.type = std::move(words);
  return integer;
}

// The names that stand as a whole argument of vec<> or matrix<> between `begin` and the body or the ";".
std::set<std::string> lengths_named(const Tokens& tokens, std::size_t begin) {
  std::set<std::string> names;
  for (auto i = begin; i < tokens.size() && !tokens[i].is("{") && !tokens[i].is(";"); ++i) {
    const auto open = next_significant(tokens, i);
    if (!tokens[i].is_any({"vec", "matrix"}) || open >= tokens.size() || !tokens[open].is("<")) continue;
    const auto arguments = ranges_in_angles(tokens, open);
    for (std::size_t a = 1; a < arguments.size(); ++a) {
      const auto first = next_significant(tokens, arguments[a].begin - 1);
      if (first < arguments[a].end && next_significant(tokens, first) >= arguments[a].end)
        names.insert(tokens[first].text);
    }
  }
  return names;
}

}  // namespace

void lengths_as_int(TokenText& text) {
  Tokens& tokens = text.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("template")) continue;
    const auto open = next_significant(tokens, i);
    if (open >= tokens.size() || !tokens[open].is("<")) continue;
    const auto close = closing_angle(tokens, open);
    if (close >= tokens.size()) continue;
    std::set<std::string> names;
    bool looked = false;
    for (const auto& range : ranges_in_angles(tokens, open)) {
      Length length;
      if (!read_length(tokens, range, length)) continue;
      if (!looked) names = lengths_named(tokens, close + 1);
      looked = true;
      if (!names.contains(tokens[length.name].text)) continue;
      for (const auto word : length.type) tokens[word].rewrite();
      tokens[length.type.front()].rewrite("int");
    }
  }
}

}  // namespace assay::metal
