#include "harness/metal/coherence.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/metal/signature.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;
using CoherentNames = std::set<std::string>;

// The qualifier at i, with its scope: the index of its last token.
std::optional<std::size_t> qualifier_at(const Tokens& tokens, std::size_t i) {
  if (!tokens[i].is("coherent")) return std::nullopt;
  const auto open = next_significant(tokens, i);
  if (open >= tokens.size()) return std::nullopt;
  if (tokens[open].is("(")) {
    const auto scope = next_significant(tokens, open), close = next_significant(tokens, scope);
    const bool named =
        close < tokens.size() && tokens[close].is(")") && tokens[scope].is_any({"device", "system"});
    return named ? std::optional(close) : std::nullopt;
  }
  const auto before = previous_significant(tokens, i);
  const bool beside = tokens[open].is_any({"device", "const", "volatile"}) ||
                      (before < tokens.size() && tokens[before].is_any({"device", "const", "volatile"}));
  return beside && tokens[open].is_word() ? std::optional(i) : std::nullopt;
}

class CoherenceReader {
 public:
  CoherenceReader(TokenText& text, const std::vector<Declaration>& declarations, const Declaration& kernel)
      : tokens_(text.tokens), declarations_(declarations), kernel_(kernel) {}

  CoherentNames take() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto end = qualifier_at(tokens_, i);
      if (!end) continue;
      note(i, *end);
      places_.push_back({i, *end + 1});
    }
    follow_aliases();
    while (!handed_on_.empty()) {
      const Parameter next = *handed_on_.begin();
      handed_on_.erase(handed_on_.begin());
      follow_calls(next);
    }
    for (const auto& place : places_) erase_range(tokens_, place);
    return std::move(names_);
  }

 private:
  // A parameter of a function, by its place.
  using Parameter = std::pair<const Declaration*, std::size_t>;

  // Where a declarator ends that has begun before i.
  std::size_t end_of_declarator(std::size_t i) const {
    for (; i < tokens_.size(); ++i) {
      if (tokens_[i].is("<")) {
        const auto close = closing_angle(tokens_, i);
        if (close < tokens_.size()) i = close;
      } else if (tokens_[i].is_any({";", ",", ")", "=", "[", "{"})) {
        break;
      }
    }
    return i;
  }

  void note(std::size_t begin, std::size_t end) {
    auto first = begin;
    while (first > 0 && !tokens_[first - 1].is_any({";", "{", "}"})) --first;
    first = next_significant(tokens_, first - 1);
    const auto stop = end_of_declarator(end + 1);
    const auto last = previous_significant(tokens_, stop);
    for (const Declaration& d : declarations_) {
      if (!d.parameters || begin <= *d.parameters || begin >= closing_bracket(tokens_, *d.parameters))
        continue;
      const auto ranges = parameter_ranges(tokens_, *d.parameters);
      for (std::size_t k = 0; k < ranges.size(); ++k) {
        if (begin < ranges[k].begin || begin >= ranges[k].end) continue;
        if (&d == &kernel_) names_.insert(tokens_[last].text);
        if (&d != &kernel_ && seen_.emplace(&d, k).second) handed_on_.emplace(&d, k);
      }
      return;
    }
    if (first < tokens_.size() && tokens_[first].is("using")) {
      aliases_.insert(tokens_[next_significant(tokens_, first)].text);
      return;
    }
    if (first < tokens_.size() && tokens_[first].is("typedef")) aliases_.insert(tokens_[last].text);
    names_.insert(tokens_[last].text);
    // `device coherent(device) uint* all = partial;`, `*(device coherent(device) uint*)partial = 1;`
    for (auto i = first; i < tokens_.size() && !tokens_[i].is_any({";", "{", "}"}); ++i) add_word(kernel_, i);
  }

  // Words of a parameter that say no more than its type do no harm: no parameter is called that.
  void add_word(const Declaration& around, std::size_t i) {
    if (!tokens_[i].is_word()) return;
    if (&around == &kernel_ || !around.parameters) {
      names_.insert(tokens_[i].text);
      return;
    }
    const auto ranges = parameter_ranges(tokens_, *around.parameters);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const bool named = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(ranges[k].begin),
                                     tokens_.begin() + static_cast<std::ptrdiff_t>(ranges[k].end),
                                     [&](const Token& token) { return token.is(tokens_[i].text); });
      if (named && seen_.emplace(&around, k).second) handed_on_.emplace(&around, k);
    }
  }

  // What is declared by the name of a type that is.
  void follow_aliases() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is_word() || !aliases_.contains(tokens_[i].text)) continue;
      const auto last = previous_significant(tokens_, end_of_declarator(i + 1));
      if (last < tokens_.size() && last > i) names_.insert(tokens_[last].text);
    }
  }

  // The arguments at that place, in all calls.
  void follow_calls(const Parameter& parameter) {
    for (const Declaration& around : declarations_) {
      if (!around.body) continue;
      for (auto i = *around.body; i < around.range.end; ++i) {
        if (!tokens_[i].is(parameter.first->name)) continue;
        auto open = next_significant(tokens_, i);
        if (open < tokens_.size() && tokens_[open].is("<"))
          open = next_significant(tokens_, std::min(closing_angle(tokens_, open), tokens_.size() - 1));
        if (open >= tokens_.size() || !tokens_[open].is("(")) continue;
        const auto arguments = parameter_ranges(tokens_, open);
        if (parameter.second >= arguments.size()) continue;
        for (auto k = arguments[parameter.second].begin; k < arguments[parameter.second].end; ++k)
          add_word(around, k);
      }
    }
  }

  Tokens& tokens_;
  const std::vector<Declaration>& declarations_;
  const Declaration& kernel_;
  CoherentNames names_, aliases_;
  std::set<Parameter> seen_, handed_on_;
  std::vector<TokenRange> places_;
};

}  // namespace

std::set<std::string> take_coherence(TokenText& text, const std::vector<Declaration>& declarations,
                                     const Declaration& kernel) {
  return CoherenceReader(text, declarations, kernel).take();
}

}  // namespace assay::metal
