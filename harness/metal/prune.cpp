#include "harness/metal/prune.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace assay::metal {
namespace {

// Named by the language itself: a loop over a range, a structured binding. And what changes a library
// template's meaning without being mentioned: its specialisations.
bool used_unnamed(const Declaration& d) {
  static constexpr std::array<std::string_view, 3> kCalledByTheLanguage = {"begin", "end", "get"};
  return d.names.empty() || d.explicit_specialisation ||
         (d.kind == DeclarationKind::function &&
          std::find(kCalledByTheLanguage.begin(), kCalledByTheLanguage.end(), d.name) !=
              kCalledByTheLanguage.end());
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
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    if (used_unnamed(declarations[i])) keep(i);
  }
  std::unordered_set<std::string_view> mentioned;
  while (!open.empty()) {
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

}  // namespace assay::metal
