#include "harness/metal/prune.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace assay::metal {
namespace {

using Names = std::unordered_set<std::string_view>;

// Those that the text declares, and does not only specialise.
Names declared_names(const std::vector<Declaration>& declarations) {
  Names all;
  for (const auto& d : declarations) {
    if (!d.explicit_specialisation && !d.explicit_instantiation) all.insert(d.names.begin(), d.names.end());
  }
  return all;
}

// Named by the language itself: a loop over a range, a structured binding. And what changes a library
// template's meaning without being mentioned: its specialisations.
bool used_unnamed(const Declaration& d, const Names& declared) {
  static constexpr std::array<std::string_view, 3> kCalledByTheLanguage = {"begin", "end", "get"};
  // A class is specialised by its tag: the names behind its ":" are those of its bases.
  const bool of_text = d.kind == DeclarationKind::other
                           ? std::any_of(d.names.begin(), d.names.end(),
                                         [&](const std::string& name) { return declared.contains(name); })
                           : declared.contains(d.name);
  return d.names.empty() || (d.explicit_specialisation && !of_text) ||
         (d.kind == DeclarationKind::function &&
          std::find(kCalledByTheLanguage.begin(), kCalledByTheLanguage.end(), d.name) !=
              kCalledByTheLanguage.end());
}

// The declaration's indices into tokens that have moved. A place is given as the number of tokens before it.
void move_to(Declaration& d, const std::vector<std::size_t>& place) {
  for (auto* range : {&d.range, &d.template_header}) *range = {place[range->begin], place[range->end]};
  d.header = place[d.header];
  if (d.parameters) d.parameters = place[*d.parameters];
  if (d.body) d.body = place[*d.body];
}

}  // namespace

std::vector<bool> reachable(const TokenText& text, const std::vector<Declaration>& declarations,
                            std::size_t kernel, std::optional<std::size_t> instantiation) {
  std::unordered_multimap<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    for (const auto& name : declarations[i].names) by_name.emplace(name, i);
  }
  std::vector<bool> stays(declarations.size(), false);
  std::vector<std::size_t> open;
  const auto keep = [&](std::size_t i) {
    if (stays[i] || declarations[i].explicit_instantiation) return;
    stays[i] = true;
    open.push_back(i);
  };
  keep(kernel);
  if (instantiation) open.push_back(*instantiation);
  const Names declared = declared_names(declarations);
  // What is asserted of something that nothing uses is left out with it.
  const auto asserts = [&](const Declaration& d) { return text.tokens[d.header].is("static_assert"); };
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    if (used_unnamed(declarations[i], declared) && !asserts(declarations[i])) keep(i);
  }
  std::unordered_set<std::string_view> mentioned;
  const auto is_about_the_used = [&](const Declaration& d) {
    bool names_any = false, names_used = false;
    for (std::size_t i = d.range.begin; i < d.range.end; ++i) {
      const Token& token = text.tokens[i];
      if (!token.is_word() || !by_name.contains(token.text)) continue;
      names_any = true;
      names_used |= mentioned.contains(token.text);
    }
    return names_used || !names_any;
  };
  const auto keep_assertions = [&] {
    for (std::size_t i = 0; i < declarations.size(); ++i) {
      if (!stays[i] && asserts(declarations[i]) && is_about_the_used(declarations[i])) keep(i);
    }
    return !open.empty();
  };
  while (!open.empty() || keep_assertions()) {
    const auto range = declarations[open.back()].range;
    open.pop_back();
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Token& token = text.tokens[i];
      if (!token.is_word() || !mentioned.insert(token.text).second) continue;
      const auto [first, last] = by_name.equal_range(token.text);
      for (auto it = first; it != last; ++it) keep(it->second);
    }
  }
  return stays;
}

void keep_only(TokenText& text, std::vector<Declaration>& declarations, const std::vector<bool>& stays) {
  std::vector<Token> kept;
  std::vector<std::size_t> place;  // of each token, and of the end
  place.reserve(text.tokens.size() + 1);
  bool gap = false;  // is the last one kept what is left of others?
  for (std::size_t i = 0, n = 0; i < text.tokens.size(); ++i) {
    Token& token = text.tokens[i];
    place.push_back(kept.size());
    while (n < declarations.size() && declarations[n].range.end <= i) ++n;
    const bool dropped = n < declarations.size() && declarations[n].range.begin <= i && !stays[n];
    if (dropped && !std::exchange(gap, true))
      kept.push_back({TokenKind::written, "", token.file, token.line});
    gap = dropped || (gap && token.keeps_lines());
    if (!gap) {
      kept.push_back(std::move(token));
    } else if (token.keeps_lines()) {
      kept.back().text += token.text;
    }
  }
  place.push_back(kept.size());
  std::vector<Declaration> left;
  for (std::size_t n = 0; n < declarations.size(); ++n) {
    if (!stays[n]) continue;
    move_to(declarations[n], place);
    left.push_back(std::move(declarations[n]));
  }
  text.tokens = std::move(kept);
  declarations = std::move(left);
}

}  // namespace assay::metal
