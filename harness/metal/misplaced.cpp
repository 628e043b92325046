#include "harness/metal/misplaced.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string>

#include "harness/metal/errors.hpp"
#include "harness/metal/library_parts.hpp"
#include "harness/metal/signature.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

constexpr unsigned kFirstWithLambdas = 400;

class Misplaced {
 public:
  Misplaced(const TokenText& text, const std::vector<Declaration>& declarations, const Declaration& kernel)
      : text_(text), tokens_(text.tokens), declarations_(declarations), kernel_(kernel) {}

  void refuse(unsigned metal_version) const {
    attributes();
    positions();
    for (const Declaration& d : declarations_) variable(d);
    names();
    // Tensors are Metal 4's: who has them has lambdas.
    if (metal_version < kFirstWithLambdas && !parts_named_in(text_).tensors) lambdas();
  }

 private:
  [[noreturn]] void refused(std::size_t i, const std::string& why) const {
    const Token& place = tokens_[std::min(i, tokens_.size() - 1)];
    throw CompileError(text_.files[place.file], place.line, why);
  }
  std::size_t next(std::size_t i) const { return next_significant(tokens_, i); }
  std::size_t before(std::size_t i) const { return previous_significant(tokens_, i); }
  bool at(std::size_t i, std::string_view word) const { return i < tokens_.size() && tokens_[i].is(word); }

  void attributes() const {
    const auto close = closing_bracket(tokens_, *kernel_.parameters);
    for (auto i = close; i < *kernel_.body; ++i) {
      if (!attribute_end(tokens_, i)) continue;
      const auto found = attributes_in(tokens_, {i + 2, *attribute_end(tokens_, i) - 2});
      refused(i, fmt::format(
                     "'{}' attribute cannot be applied to types: it stands before `kernel`, not behind the "
                     "parameters",
                     found.empty() ? "" : found.front().name));
    }
    for (auto i = kernel_.header; i < *kernel_.parameters; ++i) {
      if (attribute_end(tokens_, i) && at(before(i), "kernel"))
        refused(i, "an attribute list cannot appear here: it stands before `kernel`");
    }
  }

  // "uint" -> 1, "ushort3" -> 3; 0: not known.
  int components(TokenRange range) const {
    static const std::regex kType("u?(?:short|int)([234]?)|u?int(?:16|32)_t");
    for (auto i = range.begin; i < range.end; ++i) {
      std::smatch match;
      if (tokens_[i].is("<") || attribute_end(tokens_, i)) return 0;
      if (std::regex_match(tokens_[i].text, match, kType))
        return match[1].length() == 0 ? 1 : match[1].str()[0] - '0';
    }
    return 0;
  }

  void positions() const {
    int first_thread = 0, first_group = 0;
    for (const TokenRange& range : parameter_ranges(tokens_, *kernel_.parameters)) {
      const int count = components(range);
      for (auto i = range.begin; i < range.end && count != 0; ++i) {
        const auto end = attribute_end(tokens_, i);
        if (!end) continue;
        for (const Attribute& attribute : attributes_in(tokens_, {i + 2, *end - 2})) {
          static const std::regex kInSpace(
              "(dispatch_)?threads_per_(grid|threadgroup)|thread_position_in_(grid|threadgroup)|"
              "threadgroup_position_in_grid|threadgroups_per_grid|grid_(origin|size)");
          if (!std::regex_match(attribute.name, kInSpace)) continue;
          int& first = attribute.name.starts_with("threadgroup") ? first_group : first_thread;
          if (first == 0) first = count;
          if (count != first)
            refused(i, fmt::format(
                           "[[{}]]: expecting input declarations with either all scalar types or all vector "
                           "types with the same number of elements",
                           attribute.name));
        }
        i = *end - 1;
      }
    }
  }

  // `constexpr uint kLimit = 8;` in a namespace, and `uint limit = 8;`.
  void variable(const Declaration& d) const {
    if (d.kind != DeclarationKind::other || d.names.empty() || d.explicit_instantiation) return;
    for (auto i = d.header; i < d.range.end; ++i) {
      if (const auto end = attribute_end(tokens_, i)) {
        i = *end - 1;
        continue;
      }
      if (tokens_[i].is_any({"=", "{", "(", ";"})) break;
      // A member, that its class has declared; a sampler, which has a space of its own.
      if (tokens_[i].is_any({"using", "typedef", "static_assert", "namespace", "extern", "enum", "struct",
                             "class", "union", "template", "friend", "asm", "__asm", "__asm__", "operator",
                             "constant", "threadgroup", "sampler"}))
        return;
    }
    if (is_member(d)) return;
    refused(d.header, fmt::format("`{}`: program scope variable must reside in constant address space: write "
                                  "`constant` before its type",
                                  d.names.front()));
  }

  bool is_member(const Declaration& d) const {
    for (auto i = d.header; i < d.range.end && !tokens_[i].is_any({"=", "{", ";"}); ++i) {
      if (tokens_[i].is(d.names.front()) && at(before(i), "::")) return true;
    }
    return false;
  }

  void names() const {
    const TypeWords types(text_);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is_any({"half", "bfloat", "kernel", "vertex", "fragment"})) continue;
      const auto type = before(i), behind = next(i);
      if (type >= tokens_.size() || behind >= tokens_.size()) continue;
      const bool named = tokens_[behind].is_any({"=", ";", ",", ")", "[", ":"}) ||
                         (tokens_[behind].is("{") && !at(type, "struct"));
      if (!named || !(types.is_type(type) || tokens_[type].is("auto"))) continue;
      refused(i, fmt::format("`{0}` is a keyword in Metal, and no name: cannot combine with previous `{1}` "
                             "declaration specifier",
                             tokens_[i].text, tokens_[type].text));
    }
  }

  // Behind an operand; also the names of a structured binding.
  bool is_subscript(std::size_t i) const {
    const auto last = before(i);
    if (last >= tokens_.size()) return false;
    if (tokens_[last].is_any({"&", "&&"})) return at(before(last), "auto");
    if (tokens_[last].is_any({"return", "else", "do", "case"})) return false;
    return tokens_[last].is_any({")", "]"}) || tokens_[last].is_word() ||
           tokens_[last].kind == TokenKind::string || tokens_[last].kind == TokenKind::number;
  }

  void lambdas() const {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("[")) continue;
      if (const auto end = attribute_end(tokens_, i)) {
        i = *end - 1;
        continue;
      }
      const auto behind = next(closing_bracket(tokens_, i));
      if (!is_subscript(i) && behind < tokens_.size() && tokens_[behind].is_any({"(", "{", "<", "mutable"}))
        refused(i, "lambda expressions are not supported in Metal before version 4.0 (--metal-version 4.0)");
    }
  }

  const TokenText& text_;
  const Tokens& tokens_;
  const std::vector<Declaration>& declarations_;
  const Declaration& kernel_;
};

}  // namespace

void refuse_misplaced(const TokenText& text, const std::vector<Declaration>& declarations,
                      const Declaration& kernel, unsigned metal_version) {
  Misplaced(text, declarations, kernel).refuse(metal_version);
}

}  // namespace assay::metal
