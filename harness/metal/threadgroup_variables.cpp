#include "harness/metal/threadgroup_variables.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

/// One declarator of `threadgroup TYPE a[2], *p = a;`.
struct Declarator {
  std::size_t first = 0;  ///< of its tokens
  std::size_t name = 0;
  std::size_t end = 0;   ///< the "," or ";" behind it
  bool variable = true;  ///< rather than a pointer or reference
  bool initialised = false;
};

class Placer {
 public:
  Placer(TokenText& text, const std::string& space) : text_(text), tokens_(text.tokens), space_(space) {}

  std::vector<std::string> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.is("(") || token.is("{") || token.is("[")) open_.push_back(token.text[0]);
      if ((token.is(")") || token.is("}") || token.is("]")) && !open_.empty()) open_.pop_back();
      if (token.is("threadgroup") && (open_.empty() || open_.back() == '{')) statement(i);
    }
    return std::move(slots_);
  }

 private:
  static bool is_qualifier(const Token& token) {
    return token.is("static") || token.is("const") || token.is("volatile");
  }

  // alignas(16) or __attribute__((...)) at i: the index of its last token. Slots are aligned as it is.
  std::optional<std::size_t> attribute_at(std::size_t i) const {
    if (!tokens_[i].is("alignas") && !tokens_[i].is("__attribute__")) return std::nullopt;
    return closing_bracket(tokens_, next_significant(tokens_, i));
  }

  // The same, ending at i: the index of its first token.
  std::optional<std::size_t> attribute_before(std::size_t i) const {
    for (std::size_t k = previous_significant(tokens_, i); k < tokens_.size();
         k = previous_significant(tokens_, k)) {
      if (tokens_[k].is(";") || tokens_[k].is("{") || tokens_[k].is("}")) break;
      if (attribute_at(k) == i) return k;
    }
    return std::nullopt;
  }

  // Where the statement around `at` begins, if nothing but a type and its qualifiers stands before `at`.
  std::size_t begin_of(std::size_t at, bool& typed) const {
    std::size_t begin = at;
    for (auto i = previous_significant(tokens_, at); i < tokens_.size();
         i = previous_significant(tokens_, i)) {
      const Token& token = tokens_[i];
      if (token.is(")")) {
        const auto attribute = attribute_before(i);
        if (!attribute) return begin;
        begin = i = *attribute;
        continue;
      }
      if (token.is(";") || token.is("{") || token.is("}") || token.is(":")) return begin;
      if (token.is(">")) {
        const auto type = std::span(tokens_).first(i + 1);
        std::size_t open = i;
        while (open > 0 && closing_angle(type, open) != i && !tokens_[open].is(";")) --open;
        if (!tokens_[open].is("<")) return tokens_.size();
        i = open;
      } else if (token.is("using") || token.is("typedef") || token.is("operator") || token.is("return") ||
                 (!token.is_word() && !token.is("::"))) {
        return tokens_.size();
      } else if (!is_qualifier(token)) {
        typed = true;
      }
      begin = i;
    }
    return begin;
  }

  void statement(std::size_t at) {
    bool typed = false;
    const std::size_t begin = begin_of(at, typed);
    if (begin >= tokens_.size()) return;
    const auto declarators = declarators_from(at, typed);
    bool any = false;
    for (const auto& d : declarators) any |= d.variable;
    if (!any) return;
    for (const auto& d : declarators) {
      if (!d.variable || !d.initialised) continue;
      const Token& place = tokens_[d.name];
      throw CompileError(
          text_.files[place.file], place.line,
          fmt::format("`{}` is in threadgroup memory, where Metal allows no initialiser", place.text));
    }
    for (std::size_t i = begin; i < declarators.back().end; ++i) {
      if (tokens_[i].is("static") || tokens_[i].is("threadgroup")) tokens_[i].rewrite();
      if (const auto end = attribute_at(i)) erase_range(tokens_, {i, *end + 1});
    }
    tokens_[at].rewrite("typedef");
    rewrite(declarators);
  }

  // The declarators up to ";", or nothing if this is no declaration. `typed`: the type stands before `at`.
  std::vector<Declarator> declarators_from(std::size_t at, bool typed) const {
    std::vector<Declarator> list;
    Declarator d;
    bool body = false;  // `struct` that may have one
    const auto pointer_at = [&](std::size_t i) {
      d.variable = false;
      if (d.first == 0) d.first = i;
    };
    for (auto i = next_significant(tokens_, at); i < tokens_.size(); i = next_significant(tokens_, i)) {
      const Token& token = tokens_[i];
      if (token.is(",") || token.is(";")) {
        if (d.name == 0 || (list.empty() && !typed)) return {};  // a method's qualifier
        if (d.first == 0) d.first = d.name;
        d.end = i;
        list.push_back(d);
        if (token.is(";")) return list;
        d = {};
      } else if (token.is("[")) {
        i = closing_bracket(tokens_, i);
      } else if (d.initialised) {
        if (token.is("(") || token.is("{")) i = closing_bracket(tokens_, i);
      } else if (const auto attribute = attribute_at(i)) {
        i = *attribute;
      } else if (is_qualifier(token)) {
        continue;
      } else if (token.is_word()) {
        body |= token.is("struct") || token.is("union") || token.is("class");
        typed |= d.name != 0;
        d.name = i;
      } else if (token.is("<")) {
        i = closing_angle(tokens_, i);
      } else if (token.is("*") || token.is("&")) {
        typed |= d.name != 0;
        pointer_at(i);
      } else if (token.is("(")) {
        const auto inner = next_significant(tokens_, i);
        if (inner >= tokens_.size() || !(tokens_[inner].is("*") || tokens_[inner].is("&")))
          return {};  // a function
        typed |= d.name != 0;
        pointer_at(i);
        d.name = next_significant(tokens_, inner);
        i = closing_bracket(tokens_, i);
      } else if (token.is("{") && std::exchange(body, false)) {
        typed = true;
        i = closing_bracket(tokens_, i);
      } else if (token.is("=") || token.is("{")) {
        if (d.name == 0 || !typed) return {};
        d.initialised = true;
        if (token.is("{")) i = closing_bracket(tokens_, i);
      } else if (!token.is("::")) {
        return {};
      }
    }
    return {};
  }

  void rewrite(const std::vector<Declarator>& declarators) {
    const std::string base = fmt::format("assay_b{}", slots_.size());
    std::string pending;  // what the declarator before needs behind it
    for (const auto& d : declarators) {
      const std::string opening = &d == &declarators[0] ? fmt::format("{}; ", base) : std::string();
      Token& first = tokens_[d.first];
      if (d.variable) {
        const std::string type = fmt::format("assay_t{}", slots_.size());
        const std::string name = first.text;
        first.rewrite(fmt::format("{}typedef {} {}", opening, base, type));
        end_of(d, fmt::format("; {3}{0}& {1} = assay_slot<{2}, {0}>()", type, name, slots_.size(), space_));
        slots_.push_back(name);
      } else {
        const std::string text = first.text;
        first.rewrite(fmt::format("{}{} {}", opening, base, text));
        end_of(d, "");
      }
    }
  }

  // Ends a declarator: each becomes a statement of its own.
  void end_of(const Declarator& d, const std::string& more) {
    Token& token = tokens_[d.end];
    if (token.is(",")) {
      token.rewrite(more + "; ");
    } else {
      token.after = more.empty() ? "" : more.substr(1) + ";";
    }
  }

  TokenText& text_;
  Tokens& tokens_;
  const std::string space_;
  std::vector<char> open_;
  std::vector<std::string> slots_;
};

}  // namespace

std::vector<std::string> place_threadgroup_variables(TokenText& text, const std::string& space) {
  return Placer(text, space).run();
}

}  // namespace assay::metal
