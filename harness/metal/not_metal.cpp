#include "harness/metal/not_metal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "harness/metal/errors.hpp"
#include "harness/metal/library_types.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// `threadgroup atomic_float sum;` may be declared, but has no operations.
void refuse_threadgroup_floats(const TokenText& text, const std::vector<Declaration>& declarations) {
  const Tokens& tokens = text.tokens;
  const auto next = [&](std::size_t i) { return next_significant(tokens, i); };
  for (const Declaration& d : declarations) {
    if (d.kind != DeclarationKind::function || !d.body) continue;
    std::set<std::string, std::less<>> names;
    for (auto i = d.range.begin; i < d.range.end; ++i) {
      if (!tokens[i].is("threadgroup")) continue;
      auto type = next(i);
      while (type < d.range.end && tokens[type].is_any({"const", "volatile", "metal", "::"}))
        type = next(type);
      if (type >= d.range.end) break;
      const auto open = next(type);
      const bool is_template = tokens[type].is_any({"atomic", "_atomic"}) && open < d.range.end &&
                               tokens[open].is("<") &&
                               tokens[std::min(next(open), tokens.size() - 1)].is("float");
      if (!is_template && !tokens[type].is("atomic_float")) continue;
      for (auto k = is_template ? closing_angle(tokens, open) : type;
           k < d.range.end && !tokens[k].is_any({";", ")"}); ++k) {
        if (tokens[k].is_word()) names.insert(tokens[k].text);
        if (k > type && tokens[k].is(",") &&
            tokens[next(k)].is_any({"device", "constant", "threadgroup", "uint"}))
          break;
      }
    }
    for (auto i = *d.body; i < d.range.end && !names.empty(); ++i) {
      const std::string& word = tokens[i].text;
      if (!tokens[i].is_word() || !word.starts_with("atomic_") || !word.ends_with("_explicit")) continue;
      const auto open = next(i);
      if (open >= d.range.end || !tokens[open].is("(")) continue;
      for (auto k = next(open); k < d.range.end && !tokens[k].is_any({",", ")", "["}); k = next(k)) {
        if (!tokens[k].is_word() || !names.contains(tokens[k].text)) continue;
        throw CompileError(
            text.files[tokens[k].file], tokens[k].line,
            fmt::format("`{}`: an atomic float in threadgroup memory has no operations; Metal has "
                        "them in device memory only",
                        tokens[k].text));
      }
    }
  }
}

// float4(1, 2): C++ cannot tell it from a list, of which the rest is zero.
void refuse_short_vectors(const TokenText& text, const TypeWords& types) {
  const Tokens& tokens = text.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& word = tokens[i].text;
    const auto open = types.is_type(i) ? next_significant(tokens, i) : tokens.size();
    if (open >= tokens.size() || !tokens[open].is("(") || (word.back() != '3' && word.back() != '4'))
      continue;
    if (!library_types().contains(word) || word.find('x') != word.npos || word.starts_with("packed_"))
      continue;
    const auto close = closing_bracket(tokens, open);
    int numbers = 1;
    bool plain = true, previous = false;
    for (auto k = next_significant(tokens, open); plain && k < close; k = next_significant(tokens, k)) {
      if (tokens[k].is(",")) ++numbers;
      const bool number = tokens[k].kind == TokenKind::number;
      plain = (number && !previous) || tokens[k].is_any({",", "-", "+"});
      previous = number;
    }
    if (plain && close < tokens.size() && numbers > 1 && numbers < word.back() - '0') {
      throw CompileError(
          text.files[tokens[i].file], tokens[i].line,
          fmt::format("`{}` is made of {} numbers; it takes one, or one for each component", word, numbers));
    }
  }
}

// `float* p`, `S& s`: where what is pointed to lies has to be said.
class MissingSpaces {
 public:
  MissingSpaces(const TokenText& text, const std::vector<Declaration>& declarations, const TypeWords& types)
      : text_(text), tokens_(text.tokens), types_(types) {
    find_structs(declarations);
  }

  void refuse() const {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is_any({"*", "&"})) continue;
      auto last = previous_significant(tokens_, i);
      while (last < tokens_.size() && tokens_[last].is_any({"const", "volatile"}))
        last = previous_significant(tokens_, last);
      if (!types_.is_type(last) || has_space(last) || !is_plain(tokens_[last].text)) continue;
      throw CompileError(text_.files[tokens_[i].file], tokens_[i].line,
                         fmt::format("a {} to `{}` without an address space: write device, constant, "
                                     "threadgroup or thread before it",
                                     tokens_[i].is("*") ? "pointer" : "reference", tokens_[last].text));
    }
  }

 private:
  // Those of namespaces that are no templates, and whose names no template's parameter has.
  void find_structs(const std::vector<Declaration>& declarations) {
    for (const auto& d : declarations) {
      if (d.kind == DeclarationKind::type && d.template_header.begin == d.template_header.end)
        structs_.insert(d.name);
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is_any({"typename", "class"})) continue;
      const auto before = previous_significant(tokens_, i), name = next_significant(tokens_, i);
      const bool parameter =
          tokens_[i].is("typename") ||
          (tokens_[i].is("class") && before < tokens_.size() && tokens_[before].is_any({"<", ","}));
      if (parameter && name < tokens_.size()) structs_.erase(tokens_[name].text);
    }
  }

  // A type whose name says no space, and hides none: the language's, a number or a vector of the library's,
  // or a struct of the text. These are the types whose pointers slips are made with; no pass depends on the
  // list.
  bool is_plain(const std::string& name) const {
    if (structs_.contains(name)) return true;
    if (library_types().contains(name)) return is_number(name);
    static const std::set<std::string, std::less<>> kWords = {"void", "bool",  "char",   "short",   "int",
                                                              "long", "float", "signed", "unsigned"};
    return kWords.contains(name);
  }

  // half, uint16_t, float4, packed_half3
  static bool is_number(const std::string& name) {
    static const std::regex kNumber(
        "(packed_)?(bool|u?char|u?short|u?int|u?long|b?float|half)[234]?|u?int[0-9]+_t|size_t|ptrdiff_t");
    return std::regex_match(name, kNumber);
  }

  bool has_space(std::size_t i) const {
    for (; i < tokens_.size(); i = previous_significant(tokens_, i)) {
      if (tokens_[i].is_any({"device", "constant", "threadgroup", "thread", "object_data", "ray_data",
                             "threadgroup_imageblock"})) {
        return true;
      }
      // A conversion to a pointer, and what is not understood, is let pass.
      if (tokens_[i].is_any({"operator", "decltype", "auto"})) return true;
      if (!tokens_[i].is_word() && !tokens_[i].is("::")) return tokens_[i].is_any({">", "]"});
    }
    return false;
  }

  const TokenText& text_;
  const Tokens& tokens_;
  const TypeWords& types_;
  std::set<std::string> structs_;
};

}  // namespace

void refuse_what_metal_lacks(const TokenText& text, const std::vector<Declaration>& declarations) {
  refuse_threadgroup_floats(text, declarations);
  const TypeWords types(text);
  refuse_short_vectors(text, types);
  MissingSpaces(text, declarations, types).refuse();
}

}  // namespace assay::metal
