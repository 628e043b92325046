#include "harness/metal/swizzles.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "harness/metal/signature.hpp"
#include "harness/metal/sums.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// May this be the name of components? It may be that of a struct's member as well.
bool names_components(const Token& token, std::size_t least) {
  const auto of = [&](std::string_view letters) {
    return token.text.find_first_not_of(letters) == std::string::npos;
  };
  return token.is_word() && token.text.size() >= least && token.text.size() <= 4 &&
         (of("xyzw") || of("rgba"));
}

// Of vectors of 8 and 16.
bool names_half_of_wide(const Token& token) { return token.is_any({"lo", "hi", "even", "odd"}); }

// `s0246`, components by their numbers.
bool names_by_number(const Token& token) {
  const std::string& word = token.text;
  return token.is_word() && word.size() > 2 && word.size() <= 17 && (word[0] == 's' || word[0] == 'S') &&
         word.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
}

bool is_member(const Tokens& tokens, std::size_t i) {
  const auto before = previous_significant(tokens, i);
  return before < tokens.size() && (tokens[before].is(".") || tokens[before].is("->"));
}

// `v.lo.x = 1`, `++v.zw.y`: what begins at `begin` and ends with `last` is changed.
bool is_changed(const Tokens& tokens, std::size_t begin, std::size_t last) {
  const auto before = previous_significant(tokens, begin), behind = next_significant(tokens, last);
  if (before < tokens.size() && tokens[before].is_any({"++", "--"})) return true;
  return behind < tokens.size() &&
         tokens[behind].is_any(
             {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
}

// `name = [](auto v) {`: it is called like a template.
void note_lambda(const Tokens& tokens, std::size_t i, std::set<std::string, std::less<>>& names) {
  const auto before = previous_significant(tokens, i);
  if (before >= tokens.size() || !tokens[before].is("=")) return;
  const auto open = next_significant(tokens, closing_bracket(tokens, i));
  const auto name = previous_significant(tokens, before);
  if (open >= tokens.size() || !tokens[open].is("(") || name >= tokens.size()) return;
  for (auto k = open; k < closing_bracket(tokens, open); ++k) {
    if (tokens[k].is("auto")) names.insert(tokens[name].text);
  }
}

std::set<std::string, std::less<>> template_functions(const Tokens& tokens) {
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("[")) note_lambda(tokens, i, names);
    if (!tokens[i].is("template")) continue;
    const auto angle = next_significant(tokens, i);
    if (angle >= tokens.size() || !tokens[angle].is("<")) continue;
    for (auto at = closing_angle(tokens, angle); at < tokens.size(); at = next_significant(tokens, at)) {
      if (tokens[at].is("{") || tokens[at].is(";")) break;
      if (!tokens[at].is("(")) continue;
      const auto name = previous_significant(tokens, at);
      if (name < tokens.size() && tokens[name].is_word()) names.insert(tokens[name].text);
      break;
    }
  }
  return names;
}

class Finder {
 public:
  explicit Finder(const TokenText& text)
      : tokens_(text.tokens), reader_(text), templates_(template_functions(tokens_)) {}

  std::vector<UndecidedSwizzle> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is("?")) branches(i);
      if (tokens_[i].is("auto")) initialiser(i);
      if (tokens_[i].is("(")) arguments(i);
      if (names_components(tokens_[i], 2) || names_half_of_wide(tokens_[i]) || names_by_number(tokens_[i]))
        component(i);
    }
    return std::move(found_);
  }

 private:
  // If the expression that begins at `begin` and ends before `end` is one swizzle and nothing else.
  void whole_expression(std::size_t begin, std::size_t end) {
    const auto sum = reader_.from(begin);
    if (!sum || sum->terms.size() != 1 || sum->terms[0].factors.size() != 1) return;
    const auto range = sum->terms[0].factors[0];
    if (next_significant(tokens_, range.end - 1) != end) return;
    auto last = range.end - 1;
    while (last > begin && (tokens_[last].is(")") || !tokens_[last].significant())) --last;
    if (names_components(tokens_[last], 2) && is_member(tokens_, last))
      found_.push_back({range, std::nullopt});
  }

  // question ? one : other
  void branches(std::size_t question) {
    std::size_t colon = question, nested = 0;
    for (++colon; colon < tokens_.size(); ++colon) {
      const Token& token = tokens_[colon];
      if (token.is("(") || token.is("[") || token.is("{")) colon = closing_bracket(tokens_, colon);
      if (token.is("?")) ++nested;
      if (token.is(":") && nested-- == 0) break;
      if (token.is(";")) return;
    }
    if (colon >= tokens_.size()) return;
    whole_expression(next_significant(tokens_, question), colon);
    const auto begin = next_significant(tokens_, colon);
    const auto sum = reader_.from(begin);
    const auto end = sum ? next_significant(tokens_, sum->terms.back().end() - 1) : tokens_.size();
    if (end >= tokens_.size()) return;
    for (const char* stop : {";", ")", ",", "]", "}", ":"}) {
      if (tokens_[end].is(stop)) whole_expression(begin, end);
    }
  }

  // auto name = one, other = another;
  void initialiser(std::size_t i) {
    for (bool more = true; more;) {
      const auto name = next_significant(tokens_, i), equals = next_significant(tokens_, name);
      if (equals >= tokens_.size() || !tokens_[name].is_word() || !tokens_[equals].is("=")) return;
      const auto begin = next_significant(tokens_, equals);
      const auto sum = reader_.from(begin);
      i = sum ? next_significant(tokens_, sum->terms.back().end() - 1) : tokens_.size();
      if (i < tokens_.size() && tokens_[i].is_any({";", ",", ")"})) whole_expression(begin, i);
      more = i < tokens_.size() && tokens_[i].is(",");
    }
  }

  void arguments(std::size_t open) {
    const auto name = previous_significant(tokens_, open);
    if (name >= tokens_.size() || !tokens_[name].is_word() || !templates_.contains(tokens_[name].text))
      return;
    for (const auto& range : parameter_ranges(tokens_, open)) {
      whole_expression(next_significant(tokens_, range.begin - 1), range.end);
    }
  }

  // v.wzyx.x
  void component(std::size_t i) {
    const auto dot = next_significant(tokens_, i), letters = next_significant(tokens_, dot);
    if (dot < tokens_.size() && tokens_[dot].is(")") && is_member(tokens_, i)) return in_parentheses(i, dot);
    if (letters >= tokens_.size() || !tokens_[dot].is(".") || !is_member(tokens_, i) ||
        !(names_components(tokens_[letters], 1) || names_half_of_wide(tokens_[letters]))) {
      return;
    }
    const auto begin = reader_.postfix_begin(i);
    if (begin >= tokens_.size()) return;
    const bool changed = is_changed(tokens_, begin, letters) && !names_half_of_wide(tokens_[letters]);
    found_.push_back({{begin, i + 1}, changed ? std::optional(letters) : std::nullopt});
  }

  // (v.wzyx).x
  void in_parentheses(std::size_t i, std::size_t close) {
    const auto begin = reader_.postfix_begin(i);
    const auto open = begin < tokens_.size() ? previous_significant(tokens_, begin) : tokens_.size();
    if (open >= tokens_.size() || !tokens_[open].is("(") || closing_bracket(tokens_, open) != close) return;
    const auto dot = next_significant(tokens_, close), letters = next_significant(tokens_, dot);
    if (letters < tokens_.size() && tokens_[dot].is(".") && names_components(tokens_[letters], 1) &&
        !is_changed(tokens_, open, letters))
      found_.push_back({{begin, i + 1}, std::nullopt});
  }

  const Tokens& tokens_;
  SumReader reader_;
  std::set<std::string, std::less<>> templates_;
  std::vector<UndecidedSwizzle> found_;
};

}  // namespace

std::vector<UndecidedSwizzle> undecided_swizzles(const TokenText& text) { return Finder(text).run(); }

void make_whole(TokenText& text, const std::vector<UndecidedSwizzle>& swizzles) {
  auto& tokens = text.tokens;
  for (const auto& [range, letters] : swizzles) {
    if (!letters) {
      tokens[range.begin - 1].after += "assay_msl::whole(";
      tokens[range.end - 1].after.insert(0, ")");
      continue;
    }
    std::string list;
    for (const char letter : tokens[*letters].text)
      list += (list.empty() ? "" : ", ") + std::to_string(std::string_view("xyzwrgba").find(letter) % 4);
    tokens[range.begin - 1].after += "assay_msl::part<" + list + ">(";
    tokens[range.end - 1].after.insert(0, ", [](auto& assay_whole) -> auto&& { return (assay_whole");
    tokens[*letters].after.insert(0, "); })");
  }
}

void rewrite_numbered_components(TokenText& text) {
  Tokens& tokens = text.tokens;
  // `v.s2` of two to four components: its `[2]`. Wider ones have members that are called so as well.
  const auto is_one = [](const std::string& word) {
    return word.size() == 2 && (word[0] == 's' || word[0] == 'S') && word[1] >= '0' && word[1] <= '3';
  };
  std::map<std::string, std::vector<std::size_t>> places;
  std::set<std::string> names;  // those that are not only members of something
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& word = tokens[i].text;
    if (!names_by_number(tokens[i]) && !(tokens[i].is_word() && is_one(word))) continue;
    if (is_member(tokens, i)) {
      places[word].push_back(i);
    } else {
      names.insert(word);
    }
  }
  for (const auto& [word, all] : places) {
    if (names.contains(word)) continue;
    if (is_one(word)) {
      for (const auto i : all) {
        const auto dot = previous_significant(tokens, i);
        if (!tokens[dot].is(".")) continue;
        tokens[dot].rewrite();
        tokens[i].rewrite("[" + word.substr(1) + "]");
      }
      continue;
    }
    std::string list;
    for (const char digit : word.substr(1)) {
      list += (list.empty() ? "" : ", ") + std::to_string(std::stoi(std::string(1, digit), nullptr, 16));
    }
    for (const auto i : all) tokens[i].rewrite("template components<" + list + ">()");
  }
}

}  // namespace assay::metal
