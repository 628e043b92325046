#include "harness/metal/private_addresses.hpp"

#include <set>
#include <string>

namespace assay::metal {
namespace {

class AddressCasts {
 public:
  explicit AddressCasts(TokenText& text) : tokens_(text.tokens) { find_names(); }

  void watch() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is("(")) {
        const auto close = type_end(next(i));
        if (is(close, ")")) around(next(close), operand_end(next(close)), close);
      } else if (tokens_[i].is("reinterpret_cast")) {
        const auto angle = type_end(next(next(i)));
        if (is(angle, ">")) argument(next(angle));
      } else if (wide(i) && !is(previous_significant(tokens_, i), "operator")) {
        argument(next(i));
      }
    }
  }

 private:
  std::size_t next(std::size_t i) const { return next_significant(tokens_, i); }
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  bool wide(std::size_t i) const {
    return i < tokens_.size() && names_.contains(tokens_[i].text) && tokens_[i].is_word();
  }

  // Behind a type of 64 bits that begins at i; the number of tokens where none does.
  std::size_t type_end(std::size_t i) const {
    if (wide(i) && !tokens_[i].is("long")) return next(i);
    bool is_long = false;
    for (; i < tokens_.size() && tokens_[i].is_any({"unsigned", "signed", "long", "int", "const"});
         i = next(i))
      is_long |= tokens_[i].is("long");
    return is_long ? i : tokens_.size();
  }

  void find_names() {
    names_ = {"ulong", "long", "size_t", "uintptr_t", "intptr_t", "uint64_t", "int64_t", "ptrdiff_t"};
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is("using") && is(next(next(i)), "=") && is(type_end(next(next(next(i)))), ";"))
        names_.insert(tokens_[next(i)].text);
      const auto name = tokens_[i].is("typedef") ? type_end(next(i)) : tokens_.size();
      if (is(next(name), ";") && tokens_[name].is_word()) names_.insert(tokens_[name].text);
    }
  }

  // One argument in parentheses, rather than a declarator or none.
  void argument(std::size_t open) {
    if (!is(open, "(")) return;
    const auto close = closing_bracket(tokens_, open), first = next(open);
    if (close >= tokens_.size() || first == close || is(first, "*") || is(next(close), "[") ||
        is(next(close), "("))
      return;
    for (auto i = first; i < close; i = next(i)) {
      if (tokens_[i].is_any({"(", "[", "{"})) i = closing_bracket(tokens_, i);
      if (is(i, ",")) return;
    }
    if (!may_hold_an_address(first, close)) return;
    // Around all that other passes have put into the parentheses.
    tokens_[open].after = kNumberOf + tokens_[open].after;
    tokens_[previous_significant(tokens_, close)].after += ")";
  }

  // Behind the operand of a cast: prefixes, a name, a literal or parentheses, and what stands behind it.
  std::size_t operand_end(std::size_t i) const {
    while (i < tokens_.size() && tokens_[i].is_any({"&", "*", "-", "+", "~", "!"})) i = next(i);
    if (is(i, "(")) {
      i = next(closing_bracket(tokens_, i));
      // A cast of its own, as in (ulong)(device char*)p.
      if (i < tokens_.size() && (tokens_[i].is_word() || tokens_[i].is_any({"(", "&"})))
        return operand_end(i);
    } else if (i < tokens_.size() && (tokens_[i].is_word() || tokens_[i].is("::"))) {
      while (is(i, "::") || is(next(i), "::")) i = next(i);
      i = next(i);
    } else {
      return tokens_.size();  // a number, or what is no operand: `sizeof (ulong)`
    }
    while (i < tokens_.size()) {
      if (tokens_[i].is_any({".", "->"})) {
        i = next(next(i));
      } else if (tokens_[i].is_any({"[", "("})) {
        i = next(closing_bracket(tokens_, i));
      } else {
        break;
      }
    }
    return i;
  }

  bool may_hold_an_address(std::size_t first, std::size_t end) const {
    if (first >= tokens_.size() || end >= tokens_.size() || first >= end) return false;
    if (tokens_[first].is_any({"sizeof", "alignof", "decltype"})) return false;
    for (auto i = first; i < end; ++i) {
      if (tokens_[i].is("<")) return false;  // of a template, of which it is not known where it ends
    }
    return true;
  }

  void around(std::size_t first, std::size_t end, std::size_t before) {
    if (!may_hold_an_address(first, end)) return;
    const auto last = previous_significant(tokens_, end);
    tokens_[before].after += kNumberOf;
    tokens_[last].after = ")" + tokens_[last].after;
  }

  static constexpr const char* kNumberOf = "::assay_msl::number_of(";

  std::vector<Token>& tokens_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace

void watch_address_casts(TokenText& text) { AddressCasts(text).watch(); }

}  // namespace assay::metal
