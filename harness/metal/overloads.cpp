#include "harness/metal/overloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "harness/metal/errors.hpp"
#include "harness/metal/signature.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

template <std::size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_address_space(const Token& token) {
  return token.is_word() && one_of<4>(token.text, {"device", "thread", "threadgroup", "constant"});
}

/// The words of a range as they will be, `names[i]` written as $i. `constant` is const.
std::vector<std::string> erased(const Tokens& tokens, TokenRange range,
                                const std::vector<std::string>& names = {}) {
  std::vector<std::string> words;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = tokens[i];
    if (!token.significant()) continue;
    if (const auto stop = attribute_end(tokens, i)) {
      i = *stop - 1;
    } else if (token.is("constant")) {
      if (words.empty() || words.back() != "const") words.emplace_back("const");
    } else if (token.is("const") && !words.empty() && words.back() == "const") {
      continue;  // `const constant T&`
    } else if (!is_address_space(token)) {
      const auto name = std::find(names.begin(), names.end(), token.text);
      const bool renamed = token.is_word() && name != names.end();
      words.push_back(renamed ? fmt::format("${}", name - names.begin()) : token.text);
    }
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += word + " ";
  return all;
}

/// A parameter's type and name. `const` goes to the front of each level of indirection, and out of the last.
struct Parameter {
  std::string type, name;

  Parameter(const Tokens& tokens, TokenRange range, const TypeWords& types)
      : name(name_in(tokens, range, types)) {
    auto words = erased(tokens, range);
    words.erase(std::find(words.begin(), words.end(), "="), words.end());
    std::string level;
    bool constant = false;
    for (const auto& word : words) {
      if (word == name || word == "restrict" || word == "__restrict") continue;
      if (word == "const") {
        constant = true;
        continue;
      }
      if (word == "*" || word == "&") {
        if (constant) type += "const ";
        type += level;
        type += word;
        level.clear();
        constant = false;
        continue;
      }
      level += word + " ";
    }
    type += level;  // const of the parameter itself is no part of the function's type
  }

 private:
  // The last word that names no type: `device T* x`, `thread float (&x)[4]`; "" of `device T*`.
  static std::string name_in(const Tokens& tokens, TokenRange range, const TypeWords& types) {
    std::string found;
    for (std::size_t i = range.begin; i < range.end && !tokens[i].is("="); ++i) {
      if (const auto stop = attribute_end(tokens, i)) {
        i = *stop - 1;
      } else if (tokens[i].is("[")) {
        break;
      } else if (tokens[i].is("<")) {
        i = std::min(closing_angle(tokens, i), range.end);
      } else if (tokens[i].is("::")) {
        found.clear();  // what stood before it qualifies
      } else if (tokens[i].is_word() && !types.is_type(i) && !is_address_space(tokens[i]) &&
                 !tokens[i].is_any({"const", "volatile", "restrict", "__restrict", "typename", "struct"})) {
        found = tokens[i].text;
      }
    }
    return found;
  }
};

struct Signature {
  std::string key;   ///< what C++ tells declarations apart by
  std::string rest;  ///< what else they consist of
};

class Merger {
 public:
  explicit Merger(TokenText& text) : text_(text), tokens_(text.tokens), types_(text) {}

  void run(const std::vector<Declaration>& all) {
    std::map<std::string, const Declaration*> known;
    for (const auto& d : all) {
      if (d.explicit_instantiation) continue;
      if (d.kind == DeclarationKind::function) qualifiers(d);
      if (d.kind == DeclarationKind::type && !duplicate(d, known)) {
        run(members_of(text_, d));
      } else if (d.kind == DeclarationKind::function && (d.body || is_settled(d))) {
        duplicate(d, known);
      }
    }
  }

 private:
  // `T() thread = default;`
  bool is_settled(const Declaration& d) const {
    const auto last = previous_significant(tokens_, d.range.end - 1);
    return last < tokens_.size() && tokens_[last].is_any({"default", "delete"});
  }

  // Where the header ends: at the body, or at the "=" or ";" behind the parameters.
  std::size_t header_end(const Declaration& d) const {
    if (d.body) return *d.body;
    std::size_t i = closing_bracket(tokens_, *d.parameters);
    while (i < d.range.end && !tokens_[i].is("=") && !tokens_[i].is(";")) ++i;
    return i;
  }

  // Behind the parameters. An object in constant space is const; a constructor cannot say so.
  void qualifiers(const Declaration& d) {
    const std::size_t close = closing_bracket(tokens_, *d.parameters);
    bool is_const = is_constructor(d);
    for (std::size_t i = close; i < d.body.value_or(d.range.end) && !tokens_[i].is(":"); ++i) {
      is_const |= tokens_[i].is("const");
    }
    for (std::size_t i = close; i < d.body.value_or(d.range.end) && !tokens_[i].is(":"); ++i) {
      if (const auto stop = attribute_end(tokens_, i)) {
        i = *stop - 1;
      } else if (tokens_[i].is("->")) {
        break;  // the return type
      } else if (is_address_space(tokens_[i])) {
        const bool adds_const = tokens_[i].is("constant") && !std::exchange(is_const, true);
        qualifiers_[i] = tokens_[i].text;
        tokens_[i].rewrite(adds_const ? "const" : "");
      }
    }
  }

  // No return type: nothing but specifiers before the name.
  bool is_constructor(const Declaration& d) const {
    if (d.name == "operator") return false;
    const std::size_t name = previous_significant(tokens_, *d.parameters);
    for (std::size_t i = d.header; i < name; ++i) {
      const Token& token = tokens_[i];
      if (token.significant() &&
          !(token.is_word() &&
            one_of<6>(token.text, {"constexpr", "inline", "explicit", "METAL_FUNC", "friend", "static"}))) {
        return false;
      }
    }
    return true;
  }

  // Erases `d` if it is what an earlier one is.
  bool duplicate(const Declaration& d, std::map<std::string, const Declaration*>& known) {
    const Signature mine = signature(d);
    const auto [it, fresh] = known.try_emplace(mine.key, &d);
    if (fresh) return false;
    const Declaration& other = *it->second;
    if (!differ_by_address_space(d, other)) return false;  // the compiler says what is wrong
    if (const auto* idle = does_nothing(d, other)) {
      if (idle == &other) it->second = &d;
      erase_range(tokens_, idle->range);
      return idle == &d;
    }
    if (signature(other).rest != mine.rest) {
      const Token& here = place(d);
      const Token& there = place(other);
      throw UnsupportedFeature(
          text_.files[here.file], here.line,
          fmt::format(
              "`{}` differs from the one at {}:{} only by address space, but does something else; the "
              "simulator cannot tell address spaces apart",
              d.name, text_.files[there.file], there.line));
    }
    if (is_constexpr(d) && !is_constexpr(other) && other.header > 0)
      tokens_[other.header - 1].after += " constexpr ";
    erase_range(tokens_, d.range);
    return true;
  }

  // Of two constructors, `S() thread {...}` and `S() threadgroup = default;`, the one that is defaulted for
  // memory that nothing is constructed in: what lies in threadgroup memory has no value when a kernel begins.
  const Declaration* does_nothing(const Declaration& a, const Declaration& b) const {
    if (!a.parameters || !b.parameters) return nullptr;  // types
    for (const auto* one : {&a, &b}) {
      const Declaration& other = one == &a ? b : a;
      if (is_constructor(*one) && !one->body && takes_nothing(*one) && is_defaulted(*one) && other.body &&
          space_of(*one) != "thread" && space_of(other) == "thread")
        return one;
    }
    return nullptr;
  }

  bool takes_nothing(const Declaration& d) const {
    return next_significant(tokens_, *d.parameters) == closing_bracket(tokens_, *d.parameters);
  }
  bool is_defaulted(const Declaration& d) const {
    return tokens_[previous_significant(tokens_, d.range.end - 1)].is("default");
  }

  // That of the object of a method, which is `thread` where none is written.
  std::string space_of(const Declaration& d) const {
    const std::size_t end = header_end(d);
    for (auto i = closing_bracket(tokens_, *d.parameters); i < end; ++i) {
      if (const auto found = qualifiers_.find(i); found != qualifiers_.end()) return found->second;
    }
    return "thread";
  }

  bool is_constexpr(const Declaration& d) const {
    const std::size_t end = d.parameters ? *d.parameters : d.header;
    for (auto i = d.header; i < end; ++i) {
      if (tokens_[i].is("constexpr")) return true;
    }
    return false;
  }

  const Token& place(const Declaration& d) const {
    return tokens_[d.parameters ? previous_significant(tokens_, *d.parameters) : d.header];
  }

  Signature signature(const Declaration& d) const {
    Signature s;
    for (const auto& name : d.scope) s.key += name + "::";
    s.key += joined(erased(tokens_, d.template_header));
    if (d.kind == DeclarationKind::type) {
      s.key += joined(erased(tokens_, {d.header, *d.body}));
      s.rest = joined(erased(tokens_, {*d.body, d.range.end}));
      return s;
    }
    const std::size_t open = *d.parameters, close = closing_bracket(tokens_, open);
    std::vector<std::string> names;
    std::string types;
    for (const auto& range : parameter_ranges(tokens_, open)) {
      const Parameter parameter(tokens_, range, types_);
      types += parameter.type + ", ";
      names.push_back(parameter.name);
    }
    std::size_t qualifiers = close + 1;
    while (qualifiers < header_end(d) && !tokens_[qualifiers].is(":")) ++qualifiers;
    auto specifiers = erased(tokens_, {d.header, open});
    std::erase_if(specifiers,
                  [](const std::string& word) { return word == "constexpr" || word == "inline"; });
    // Metal tells `T operator[](int) const thread` from `const device T& operator[](int) const device`.
    auto word = std::find(specifiers.begin(), specifiers.end(), "operator");
    if (word == specifiers.end() && !specifiers.empty()) --word;
    const std::string called = joined({word, specifiers.end()});
    const auto front = joined(value_of({specifiers.begin(), word})) + called;
    const bool is_template = d.template_header.end > d.template_header.begin;
    s.key += (is_template || d.name.empty() ? front
              : d.name == "operator"        ? called
                                            : d.name) +
             "(" + types + ")" + joined(erased(tokens_, {close + 1, qualifiers}));
    s.rest = front + joined(erased(tokens_, {close + 1, d.range.end}, names));
    return s;
  }

  // `const T&` is as good a result as `T`, where nothing but the address space is different.
  static std::vector<std::string> value_of(std::vector<std::string> result) {
    const auto constant = std::find(result.begin(), result.end(), "const");
    if (result.empty() || result.back() != "&" || constant == result.end()) return result;
    result.pop_back();
    result.erase(constant);
    return result;
  }

  // Otherwise one is written twice, and the compiler says so.
  bool differ_by_address_space(const Declaration& a, const Declaration& b) const {
    return header_of(a) != header_of(b);
  }

  // As it was written.
  std::string header_of(const Declaration& d) const {
    std::string all;
    for (std::size_t i = d.range.begin; i < header_end(d); ++i) {
      const auto moved = qualifiers_.find(i);
      if (moved != qualifiers_.end()) {
        all += moved->second + " ";
      } else if (tokens_[i].is_word() && (is_address_space(tokens_[i]) || tokens_[i].is("const"))) {
        all += tokens_[i].text + " ";
      }
    }
    return all;
  }

  TokenText& text_;
  Tokens& tokens_;
  const TypeWords types_;
  std::map<std::size_t, std::string> qualifiers_;  // those of methods, which are rewritten first
};

}  // namespace

void merge_overloads(TokenText& text, const std::vector<Declaration>& declarations) {
  Merger(text).run(declarations);
}

}  // namespace assay::metal
