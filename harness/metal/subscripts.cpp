#include "harness/metal/subscripts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/metal/grammar.hpp"
#include "harness/metal/sums.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {
namespace {

class SubscriptFinder {
 public:
  explicit SubscriptFinder(const TokenText& text)
      : tokens_(text.tokens),
        grammar_(text, std::vector<bool>(text.tokens.size(), true)),
        types_(text),
        reader_(text),
        enclosing_(text.tokens.size(), text.tokens.size()) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!open.empty()) enclosing_[i] = open.back();
      if (tokens_[i].is_any({"(", "[", "{"})) open.push_back(i);
      if (tokens_[i].is_any({")", "]", "}"}) && !open.empty()) open.pop_back();
    }
  }

  std::vector<Subscript> run() const {
    std::vector<Subscript> found;
    for (std::size_t open = 0; open < tokens_.size(); ++open) {
      if (!tokens_[open].is("[") || !grammar_.subscript(open)) continue;
      const auto last = previous(open), close = closing_bracket(tokens_, open);
      // What a call gives, or what stands in parentheses, is hardly an array; `(&a)[4]` declares one.
      if (close >= tokens_.size() || tokens_[last].is(")")) continue;
      const auto begin = reader_.postfix_begin(last);
      if (begin >= tokens_.size() || types_.is_type(begin) || may_be_declared(begin) ||
          address_is_taken(begin)) {
        continue;
      }
      const auto before = last < tokens_.size() ? previous(last) : last;
      found.push_back({{begin, last + 1}, open, close, is(before, ".") || is(before, "->")});
    }
    return found;
  }

 private:
  std::size_t previous(std::size_t i) const { return previous_significant(tokens_, i); }
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }

  // `half const a[4], b[4];`, `device half* p[2], *q[2];`
  bool may_be_declared(std::size_t begin) const {
    auto before = previous(begin);
    if (before >= tokens_.size()) return true;
    if (tokens_[before].is_word()) return !tokens_[before].is_any({"return", "case", "else", "do", "sizeof"});
    if (is(before, "}")) return ends_a_type(before);
    const bool star = is(before, "*");
    while (is(before, "*")) before = previous(before);
    if (is(before, ",")) return in_no_list(before);
    if (!star || before >= tokens_.size()) return false;
    return types_.is_type(before) || is(before, ">") ||
           (tokens_[before].is_word() && types_.declares_pointer(before));
  }

  // `struct { uint low, high; } a[4];`
  bool ends_a_type(std::size_t brace) const {
    auto word = types_.opening(brace);
    for (int words = 0; words < 2 && word < tokens_.size(); ++words) {
      word = previous(word);
      if (word < tokens_.size() && tokens_[word].is_any({"struct", "union", "class", "enum"})) return true;
    }
    return false;
  }

  // Does this comma stand between declarators, or statements, rather than between arguments?
  bool in_no_list(std::size_t comma) const {
    const auto open = enclosing_[comma];
    return open >= tokens_.size() || is(open, "{") || is(previous(open), "for");
  }

  bool address_is_taken(std::size_t begin) const {
    auto before = previous(begin);
    while (is(before, "(")) before = previous(before);
    return is(before, "&");
  }

  const std::vector<Token>& tokens_;
  Grammar grammar_;
  TypeWords types_;
  SumReader reader_;
  std::vector<std::size_t> enclosing_;  // the innermost bracket that is open at a token
};

// As it stands now, on one line; nothing where it cannot be said again.
std::string said_again(const std::vector<Token>& tokens, TokenRange range) {
  std::string text;
  for (auto i = range.begin; i < range.end; ++i) {
    if (tokens[i].kind == TokenKind::directive) return {};
    text += tokens[i].kind == TokenKind::space ? " " : tokens[i].text;
    if (i + 1 < range.end) text += tokens[i].after;
  }
  const bool balanced =
      std::count(text.begin(), text.end(), '(') == std::count(text.begin(), text.end(), ')');
  return balanced ? text : std::string();
}

}  // namespace

std::vector<Subscript> subscripts_of(const TokenText& text) { return SubscriptFinder(text).run(); }

void check_subscripts(TokenText& text, const std::vector<Subscript>& subscripts) {
  std::vector<std::string> objects;  // all of them before any of them changes
  objects.reserve(subscripts.size());
  for (const auto& one : subscripts) objects.push_back(said_again(text.tokens, one.object));
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    if (objects[i].empty()) continue;
    text.tokens[subscripts[i].open].after.insert(
        0, fmt::format("assay_msl::inside{}<decltype(({}))>(", subscripts[i].of_member ? "_member" : "",
                       objects[i]));
    text.tokens[subscripts[i].close - 1].after += ")";
  }
}

}  // namespace assay::metal
