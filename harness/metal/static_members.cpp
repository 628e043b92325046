#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/metal/dialect.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

/// `template <> constexpr int shapes::Tile<half>::rows = 16;`
struct Specialisation {
  const Declaration* declaration;
  std::size_t name, angle, member, equals;  ///< tokens: `Tile`, its "<", `rows`, "="
};

std::optional<Specialisation> specialisation_of(const Tokens& tokens, const Declaration& d) {
  if (!d.explicit_specialisation || d.kind != DeclarationKind::other) return std::nullopt;
  for (auto i = d.header; i < d.range.end; ++i) {
    if (tokens[i].is_any({"(", "{", "="})) return std::nullopt;
    if (!tokens[i].is("<")) continue;
    const auto close = closing_angle(tokens, i);
    const auto colons = next_significant(tokens, close), member = next_significant(tokens, colons);
    const auto equals = next_significant(tokens, member);
    if (equals >= d.range.end) return std::nullopt;
    if (!tokens[colons].is("::")) {
      i = close;  // of the member's type
      continue;
    }
    if (!tokens[equals].is("=") || tokens[next_significant(tokens, equals)].is("{")) return std::nullopt;
    return Specialisation{&d, previous_significant(tokens, i), i, member, equals};
  }
  return std::nullopt;
}

// One past the initialiser behind the "=" at `equals`: at "," or ";".
std::size_t initialiser_end(const Tokens& tokens, std::size_t equals) {
  auto i = equals + 1;
  for (; i < tokens.size() && !tokens[i].is_any({",", ";"}); ++i) {
    if (tokens[i].is_any({"(", "[", "{"})) i = closing_bracket(tokens, i);
    if (i < tokens.size() && tokens[i].is("<")) {
      const auto close = closing_angle(tokens, i);
      if (close < tokens.size()) i = close;
    }
  }
  return i;
}

class Members {
 public:
  Members(TokenText& text, const std::vector<Declaration>& declarations)
      : text_(text), tokens_(text.tokens), declarations_(declarations) {}

  void run() {
    for (const auto& d : declarations_) {
      const auto found = specialisation_of(tokens_, d);
      if (!found) continue;
      if (const auto stand_in = stand_in_of(*found)) specialise(*found, *stand_in);
    }
  }

 private:
  // The template that the member asks, written ahead of its class; nothing where the class gives it no value.
  std::optional<std::string> stand_in_of(const Specialisation& s) {
    const std::string& name = tokens_[s.name].text;
    const std::string& member = tokens_[s.member].text;
    for (const auto& type : declarations_) {
      if (!is_template(type, name) || type.scope != scope_of(s)) continue;
      const auto key = std::pair(&type, member);
      if (const auto known = made_.find(key); known != made_.end()) return known->second;
      const auto equals = value_of_member(type, member);
      if (!equals) continue;
      const auto stand_in = fmt::format("assay_member_{}", made_.size());
      made_[key] = stand_in;
      const auto before = type.range.begin - 1;
      tokens_[before].after += fmt::format(
          " template <class assay_class> struct {} {{ template <class assay_value> static constexpr "
          "assay_value "
          "of(assay_value value) {{ return value; }} }}; ",
          stand_in);
      const auto end = initialiser_end(tokens_, *equals);
      tokens_[*equals].after += fmt::format(" {}<{}>::of(", stand_in, name);
      tokens_[end - 1].after += ")";
      return stand_in;
    }
    return std::nullopt;
  }

  bool is_template(const Declaration& type, const std::string& name) const {
    return type.kind == DeclarationKind::type && type.name == name && !type.explicit_specialisation &&
           type.template_header.begin != type.template_header.end && !is_partial(type);
  }

  // The names before `Tile` as they are written: {"shapes"}; {"", "shapes"} of `::shapes::Tile`.
  std::vector<std::string> qualifiers(const Specialisation& s) const {
    std::vector<std::string> outer;
    for (auto i = previous_significant(tokens_, s.name); i >= s.declaration->header && tokens_[i].is("::");) {
      const auto name = previous_significant(tokens_, i);
      const bool named = name >= s.declaration->header && name < tokens_.size() && tokens_[name].is_word();
      outer.insert(outer.begin(), named ? tokens_[name].text : "");
      if (!named) break;
      i = previous_significant(tokens_, name);
      if (i >= tokens_.size()) break;
    }
    return outer;
  }

  // The namespaces of the template: the innermost ones around the specialisation, and the names before it,
  // that a template of its name stands in.
  std::vector<std::string> scope_of(const Specialisation& s) const {
    auto written = qualifiers(s);
    std::vector<std::string> around = s.declaration->scope;
    if (!written.empty() && written.front().empty()) {
      written.erase(written.begin());
      around.clear();
    }
    for (;; around.pop_back()) {
      auto scope = around;
      scope.insert(scope.end(), written.begin(), written.end());
      const bool there = std::any_of(declarations_.begin(), declarations_.end(), [&](const auto& type) {
        return is_template(type, tokens_[s.name].text) && type.scope == scope;
      });
      if (there || around.empty()) return scope;
    }
  }

  // `struct Tile<T*>`
  bool is_partial(const Declaration& type) const {
    for (auto i = type.header; i < *type.body && !tokens_[i].is(":"); ++i) {
      if (tokens_[i].is("<")) return true;
    }
    return false;
  }

  // The "=" of `static constexpr int rows = 8;`, also among others of one declaration.
  std::optional<std::size_t> value_of_member(const Declaration& type, const std::string& member) const {
    for (const auto& one : members_of(text_, type)) {
      if (one.kind != DeclarationKind::other ||
          std::find(one.names.begin(), one.names.end(), member) == one.names.end())
        continue;
      for (auto i = one.header; i < one.range.end; ++i) {
        const auto equals = next_significant(tokens_, i);
        if (tokens_[i].is(member) && equals < one.range.end && tokens_[equals].is("=") &&
            !tokens_[next_significant(tokens_, equals)].is("{"))
          return equals;
      }
    }
    return std::nullopt;
  }

  void specialise(const Specialisation& s, const std::string& stand_in) {
    const auto arguments = text_of(tokens_, {s.angle, closing_angle(tokens_, s.angle) + 1});
    std::string scope;  // `shapes::`
    for (const auto& outer : qualifiers(s)) scope += outer + "::";
    const auto end = initialiser_end(tokens_, s.equals);
    const std::string name = tokens_[s.name].text;
    erase_range(tokens_, {s.declaration->header, s.equals + 1});
    tokens_[s.equals].after += fmt::format(
        " struct {0}{1}<{0}{2}{3}> {{ template <class assay_value> static constexpr auto "
        "of(assay_value) {{ return (",
        scope, stand_in, name, arguments);
    tokens_[end - 1].after += "); } }";
  }

  TokenText& text_;
  Tokens& tokens_;
  const std::vector<Declaration>& declarations_;
  std::map<std::pair<const Declaration*, std::string>, std::string> made_;
};

}  // namespace

void specialise_static_members(TokenText& text, const std::vector<Declaration>& declarations) {
  Members(text, declarations).run();
}

}  // namespace assay::metal
