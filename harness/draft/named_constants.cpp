#include "harness/draft/named_constants.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>

namespace assay::draft {
namespace {

constexpr std::size_t kMostSizes = 6;
constexpr std::int64_t kMostOfSide = 512;
constexpr int kMostMacros = 8;  // macros that stand for macros

using Macros = std::vector<std::pair<std::string, std::string>>;

/// `#define NAME TEXT`, without parameters, of the files that the kernel comes from, and of the command line.
Macros macros_of(const LiveText& text, const device::KernelSource& source) {
  Macros all(source.defines.begin(), source.defines.end());
  std::set<std::uint32_t> files;
  for (std::size_t i = 0; i < text.text.tokens.size(); ++i) {
    if (text.live[i]) files.insert(text.text.tokens[i].file);
  }
  static const std::regex kDefine(R"(^\s*#\s*define\s+([A-Za-z_]\w*)\s+([^\s/][^/]*))");
  for (const auto file : files) {
    std::error_code none;
    if (file >= text.text.files.size() || !std::filesystem::is_regular_file(text.text.files[file], none))
      continue;
    std::ifstream in(text.text.files[file]);
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (std::regex_search(line, match, kDefine)) all.emplace_back(match[1].str(), match[2].str());
    }
  }
  return all;
}

/// The value of a macro of which all numbers are among those that are used: what it expands to may be there.
std::optional<std::int64_t> value_of(std::string text, const Macros& macros,
                                     const std::set<std::int64_t>& numbers,
                                     metal::IntegerConstants& constants) {
  for (int depth = 0; depth < kMostMacros; ++depth) {
    bool replaced = false;
    auto tokens = metal::tokenize(text, "");
    for (auto& token : tokens.tokens) {
      const auto macro = std::find_if(macros.begin(), macros.end(), [&](const auto& one) {
        return token.is_word() && one.first == token.text;
      });
      if (macro == macros.end()) continue;
      token.text = '(' + macro->second + ')';
      replaced = true;
    }
    if (!replaced) {
      const auto unused = [&](const metal::Token& token) {
        return token.kind == metal::TokenKind::number &&
               !numbers.contains(constants.value(token.text).value_or(-1));
      };
      const bool used = std::none_of(tokens.tokens.begin(), tokens.tokens.end(), unused);
      return used ? constants.value(text) : std::nullopt;
    }
    text = tokens.str();
  }
  return std::nullopt;
}

/// `NAME = uint3(16, 16, 1)`, at the name.
std::optional<NamedConstant> vector_at(const std::vector<metal::Token>& tokens, std::size_t i,
                                       metal::IntegerConstants& constants) {
  const auto equals = metal::next_significant(tokens, i), type = metal::next_significant(tokens, equals),
             open = metal::next_significant(tokens, type);
  if (open >= tokens.size() || !tokens[equals].is("=") || !tokens[open].is("(") ||
      !tokens[type].is_any({"uint3", "uint2", "ushort3", "ushort2", "int3", "int2"}))
    return std::nullopt;
  NamedConstant found{tokens[i].text, {}};
  const auto close = metal::closing_bracket(tokens, open);
  for (auto at = metal::next_significant(tokens, open); at < close;
       at = metal::next_significant(tokens, at)) {
    if (tokens[at].is(",")) continue;
    const auto value = constants.value(tokens[at].text);
    if (!value) return std::nullopt;
    found.values.push_back(*value);
  }
  return found;
}

}  // namespace

bool is_constant(const metal::TokenText& text, metal::IntegerConstants& constants, const std::string& word) {
  const auto& tokens = text.tokens;
  for (const std::size_t at : constants.places_of(word)) {
    const auto then = metal::next_significant(tokens, at);
    if (then >= tokens.size() || !tokens[then].is("=")) continue;
    for (std::size_t i = at; i-- > 0 && !tokens[i].is_any({";", "{", "}", "("});) {
      if (tokens[i].is_any({"constexpr", "constant", "const", "enum"})) return true;
    }
    // `enum { THREADS = 64 }`
    std::size_t open = metal::previous_significant(tokens, at);
    if (open < tokens.size() && tokens[open].is("{")) {
      open = metal::previous_significant(tokens, open);
      if (open < tokens.size() && tokens[open].is("enum")) return true;
    }
  }
  return false;
}

std::vector<NamedConstant> named_constants(const LiveText& text, const device::KernelSource& source) {
  metal::IntegerConstants constants(text.text);
  const auto& tokens = text.text.tokens;
  std::vector<NamedConstant> all;
  std::set<std::string> known, tried;  // a word is looked up once, however often it stands there
  std::set<std::int64_t> numbers;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // `NAME [[maybe_unused]] = uint3(...)`: the name is before the attribute.
    if (tokens[i].is_word()) {
      std::size_t before_equals = i;
      const auto next = metal::next_significant(tokens, i);
      if (const auto stop = next < tokens.size() ? metal::attribute_end(tokens, next) : std::nullopt)
        before_equals = *stop - 1;
      if (auto vector = vector_at(tokens, before_equals, constants);
          vector && known.insert(tokens[i].text).second) {
        vector->name = tokens[i].text;
        all.push_back(std::move(*vector));
      }
    }
    if (!text.live[i]) continue;
    if (tokens[i].kind == metal::TokenKind::number) {
      if (const auto value = constants.value(tokens[i].text)) numbers.insert(*value);
    }
    if (!tokens[i].is_word() || known.contains(tokens[i].text) || !tried.insert(tokens[i].text).second)
      continue;
    const std::string& name = tokens[i].text;
    std::optional<std::int64_t> value;
    if (const auto given = text.given.find(name); given != text.given.end()) {
      std::string words;
      for (const auto& one : given->second) words += one + ' ';
      value = constants.value(words);
    } else if (is_constant(text.text, constants, name)) {
      value = constants.value(name);
    }
    if (!value) continue;
    known.insert(name);
    all.push_back({name, {*value}});
  }
  const auto macros = macros_of(text, source);
  for (const auto& [name, words] : macros) {
    const auto value = value_of(words, macros, numbers, constants);
    if (value && known.insert(name).second) all.push_back({name, {*value}});
  }
  return all;
}

std::vector<std::int64_t> named_sizes(const LiveText& text, const device::KernelSource& source) {
  std::vector<std::int64_t> sizes;
  for (const auto& one : named_constants(text, source)) {
    for (const auto value : one.values) {
      const bool fits = value > 1 && value <= kMostOfSide && sizes.size() < kMostSizes;
      if (fits && std::find(sizes.begin(), sizes.end(), value) == sizes.end()) sizes.push_back(value);
    }
  }
  return sizes;
}

}  // namespace assay::draft
