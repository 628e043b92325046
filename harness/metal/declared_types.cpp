#include "harness/metal/declared_types.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

namespace assay::metal {

bool is_fundamental(const Token& token) {
  return token.is_any({"void", "bool", "char", "short", "int", "long", "float", "double", "signed",
                       "unsigned", "auto", "wchar_t", "char16_t", "char32_t", "__int128"});
}

bool qualifies(const Token& token) {
  return token.is_any({"const", "volatile", "restrict", "__restrict", "__restrict__", "device", "thread",
                       "threadgroup", "constant", "static", "constexpr", "inline", "mutable"});
}

namespace {

using Words = std::vector<std::string_view>;

// Words that declare no name, wherever they stand.
bool is_reserved(const Token& token) {
  return qualifies(token) || token.is_any({"operator",
                                           "return",
                                           "if",
                                           "else",
                                           "for",
                                           "while",
                                           "do",
                                           "switch",
                                           "case",
                                           "default",
                                           "break",
                                           "continue",
                                           "sizeof",
                                           "alignof",
                                           "typename",
                                           "template",
                                           "struct",
                                           "class",
                                           "union",
                                           "enum",
                                           "typedef",
                                           "using",
                                           "namespace",
                                           "public",
                                           "private",
                                           "protected",
                                           "friend",
                                           "explicit",
                                           "noexcept",
                                           "decltype",
                                           "alignas",
                                           "this",
                                           "true",
                                           "false",
                                           "nullptr",
                                           "not",
                                           "and",
                                           "or",
                                           "xor",
                                           "new",
                                           "delete",
                                           "goto",
                                           "kernel",
                                           "static_cast",
                                           "reinterpret_cast",
                                           "const_cast",
                                           "static_assert",
                                           "__attribute__",
                                           "final",
                                           "override"});
}

class Scanner {
 public:
  Scanner(const std::vector<Token>& tokens, const std::function<bool(std::string_view)>& is_known)
      : tokens_(tokens),
        is_known_(is_known),
        types_(tokens.size(), false),
        ends_type_(tokens.size(), false) {}

  std::vector<bool> run() {
    scopes_.push_back({Kind::members, 0, {}});
    auto before = tokens_.size();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].significant()) continue;
      if (tokens_[i].is_word()) {
        word(i, before);
      } else {
        punctuator(i, before);
      }
      before = i;
    }
    return std::move(types_);
  }

 private:
  enum class Kind : std::uint8_t {
    members,   // of the file, a namespace or a class: seen from outside as well
    block,     // braces of a function, or brackets
    trailing,  // of template headers and parameters: to the end of what follows them
  };
  struct Scope {
    Kind kind;
    std::size_t depth;  // how many brackets are open outside of it
    Words names;
  };

  std::size_t next(std::size_t i) const { return next_significant(tokens_, i); }
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }

  // Names are views of tokens, which outlive the scan.
  void declare(std::size_t i, bool type, std::size_t scope) {
    const std::string_view name = tokens_[i].text;
    if (type && scopes_[scope].kind == Kind::members) members_[name] = true;
    names_[name].push_back(type);
    if (type) types_[i] = true;  // where it is declared, it is one too
    scopes_[scope].names.push_back(name);
  }
  void declare(std::size_t i, bool type) { declare(i, type, scopes_.size() - 1); }
  // Of a class or a function: outside of the template header that stands before it, so that it stays.
  std::size_t outside_of_trailing() const {
    auto scope = scopes_.size() - 1;
    while (scope > 0 && scopes_[scope].kind == Kind::trailing) --scope;
    return scope;
  }
  void close_scope() {
    for (const auto name : scopes_.back().names) names_[name].pop_back();
    scopes_.pop_back();
  }
  void close_trailing() {
    while (scopes_.back().kind == Kind::trailing && scopes_.back().depth == depth_) close_scope();
  }

  bool look_up(std::size_t i, std::size_t before) const {
    const Token& token = tokens_[i];
    if (is_fundamental(token)) return true;
    if (is(before, ".") || is(before, "->")) return false;
    const std::string_view name = token.text;
    if (is(before, "::") || is(before, "template")) {
      // `typename A::type`, `Loader::chunk`, `metal::half4`
      return named_by_typename(before) || members_.contains(name) || is_known_(name);
    }
    const auto known = names_.find(name);
    if (known != names_.end() && !known->second.empty()) return known->second.back();
    return members_.contains(name) || is_known_(name);
  }

  // Does `typename` stand before the names that end with the "::" at `i`?
  bool named_by_typename(std::size_t i) const {
    for (int steps = 0; i < tokens_.size() && steps < 64; ++steps) {
      if (tokens_[i].is("typename")) return true;
      if (tokens_[i].is(">")) {
        const auto open = angle_.find(i);
        if (open == angle_.end()) return false;
        i = open->second;
      } else if (!tokens_[i].is_word() && !tokens_[i].is("::")) {
        return false;
      }
      i = previous_significant(tokens_, i);
    }
    return false;
  }

  void word(std::size_t i, std::size_t before) {
    const Token& token = tokens_[i];
    if (token.is_any({"struct", "class", "union", "enum"}) && !in_template_header_) {
      declare_tag(i);
    } else if (token.is("using")) {
      const auto name = next(i);
      if (is(next(name), "=")) declare(name, true, alias_scope());
    } else if (token.is("typedef")) {
      declare_typedefs(i);
    } else if (token.is("template")) {
      const auto open = next(i);
      if (is(open, "<")) template_header(open);
    }
    if (types_[i]) {
      ends_type_[i] = true;
      return;
    }
    if (declares_value(i, before)) {
      declare(i, false);
      return;
    }
    types_[i] = !is_reserved(token) && look_up(i, before);
    ends_type_[i] = types_[i] || (qualifies(token) && before < tokens_.size() && ends_type_[before]);
    const auto behind = next(i);
    if (is(behind, "<") && !is_reserved(token) && (types_[i] || is(before, "::") || is(before, "typename"))) {
      const auto close = closing_angle(tokens_, behind);
      if (close < tokens_.size()) {
        angle_[close] = i;
        ends_type_[close] = types_[i];
      }
    }
  }

  // An alias template's name stays, and its parameters go.
  std::size_t alias_scope() const { return outside_of_trailing(); }

  // `half4 x`, `device Block* x`, `vec<T, 4>& x`: the name of a variable, a parameter or a function.
  bool declares_value(std::size_t i, std::size_t before) const {
    if (before >= tokens_.size() || !ends_type_[before] || is_reserved(tokens_[i]) ||
        is_fundamental(tokens_[i]))
      return false;
    return tokens_[std::min(next(i), tokens_.size() - 1)].is_any(
        {"=", ";", ",", ")", "[", "{", "(", ":", ">"});
  }

  // struct alignas(8) Name, enum class [[attribute]] Name, struct __attribute__((packed)) Name
  void declare_tag(std::size_t keyword) {
    auto i = next(keyword);
    while (i < tokens_.size() &&
           (tokens_[i].is("[") || tokens_[i].is_any({"alignas", "__attribute__", "class", "struct"}))) {
      if (tokens_[i].is_any({"alignas", "__attribute__"})) i = next(i);
      if (i < tokens_.size() && tokens_[i].is_any({"(", "["})) i = closing_bracket(tokens_, i);
      i = next(i);
    }
    if (i < tokens_.size() && tokens_[i].is_word()) declare(i, true, outside_of_trailing());
    class_body_ = class_body(i);
  }

  // The "{" of the class whose head goes on at `i`; none for `struct S* p`.
  std::size_t class_body(std::size_t i) const {
    for (; i < tokens_.size(); i = next(i)) {
      if (tokens_[i].is("{")) return i;
      if (tokens_[i].is("<")) i = closing_angle(tokens_, i);
      if (i >= tokens_.size() || tokens_[i].is_any({";", "(", ")", "=", "*", "&", ">"})) break;
    }
    return tokens_.size();
  }

  // The last word of each declarator: typedef struct { ... } Name, *Pointer; typedef float Row[4];
  void declare_typedefs(std::size_t keyword) {
    auto name = tokens_.size();
    for (auto i = next(keyword); i < tokens_.size(); i = next(i)) {
      if (tokens_[i].is_any({",", ";"}) && name < tokens_.size()) declare(name, true, outside_of_trailing());
      if (tokens_[i].is(";")) return;
      if (tokens_[i].is("(") && (is(next(i), "*") || is(next(i), "&"))) {  // (*Function)(float)
        const auto pointer = next(next(i));
        if (pointer < tokens_.size() && tokens_[pointer].is_word()) {
          declare(pointer, true, outside_of_trailing());
          name = tokens_.size();
          i = closing_bracket(tokens_, i);
          if (is(next(i), "(")) i = closing_bracket(tokens_, next(i));
          continue;
        }
      }
      if (tokens_[i].is_any({"(", "[", "{"})) i = closing_bracket(tokens_, i);
      if (i < tokens_.size() && tokens_[i].is("<")) i = closing_angle(tokens_, i);
      if (i < tokens_.size() && tokens_[i].is_word() && !tokens_[i].is("__attribute__")) name = i;
    }
  }

  // Parameters that are types or templates: of the declaration that follows.
  void template_header(std::size_t open) {
    const auto close = closing_angle(tokens_, open);
    if (close >= tokens_.size()) return;
    scopes_.push_back({Kind::trailing, depth_, {}});
    for (auto i = next(open); i < close; i = next(i)) {
      if (!tokens_[i].is_any({"typename", "class"})) continue;
      auto name = next(i);
      if (is(name, "...")) name = next(name);
      const auto behind = next(name);
      if (name < close && tokens_[name].is_word() && behind <= close &&
          tokens_[behind].is_any({",", "=", ">"})) {
        declare(name, true);
      }
    }
    header_end_ = std::max(header_end_, close);
    in_template_header_ = true;
  }

  void punctuator(std::size_t i, std::size_t before) {
    const Token& token = tokens_[i];
    if (in_template_header_ && i >= header_end_) in_template_header_ = false;
    if (token.is_any({"*", "&", "&&"})) {
      ends_type_[i] = before < tokens_.size() && ends_type_[before];
    } else if (token.is_any({"(", "[", "{"})) {
      const bool members = token.is("{") && (i == class_body_ || opens_namespace(i, before));
      scopes_.push_back({members ? Kind::members : Kind::block, depth_, {}});
      ++depth_;
    } else if (token.is_any({")", "]", "}"})) {
      close_bracket(i);
    } else if (token.is(";")) {
      close_trailing();
    }
  }

  // `namespace a::b {`, `extern "C" {`
  bool opens_namespace(std::size_t, std::size_t before) const {
    for (int words = 0; before < tokens_.size() && words < 64; ++words) {
      if (tokens_[before].is("namespace")) return true;
      if (tokens_[before].kind == TokenKind::string)
        return is(previous_significant(tokens_, before), "extern");
      if (!tokens_[before].is_word() && !tokens_[before].is_any({"::", "[", "]"})) return false;
      before = previous_significant(tokens_, before);
    }
    return false;
  }

  void close_bracket(std::size_t i) {
    if (depth_ == 0) return;  // one too many: the compiler says so
    while (scopes_.size() > 1 && scopes_.back().depth >= depth_) close_scope();
    --depth_;
    if (scopes_.size() > 1 && scopes_.back().depth == depth_ && scopes_.back().kind != Kind::trailing) {
      if (tokens_[i].is(")") && !scopes_.back().names.empty()) {
        scopes_.back().kind = Kind::trailing;  // parameters: the body follows
      } else {
        close_scope();
      }
    }
    // `: a{1}, b{2} {}`: the body comes behind the last of them.
    const auto behind = next(i);
    if (tokens_[i].is("}") && !is(behind, ",") && !is(behind, "{")) close_trailing();
  }

  const std::vector<Token>& tokens_;
  const std::function<bool(std::string_view)>& is_known_;
  std::vector<bool> types_, ends_type_;
  std::unordered_map<std::string_view, std::vector<bool>> names_;  // innermost last
  std::unordered_map<std::string_view, bool> members_;             // types of namespaces and classes
  std::unordered_map<std::size_t, std::size_t> angle_;             // the name before the "<" of a ">"
  std::vector<Scope> scopes_;
  std::size_t depth_ = 0, class_body_ = 0, header_end_ = 0;
  bool in_template_header_ = false;
};

}  // namespace

std::vector<bool> type_tokens(const std::vector<Token>& tokens,
                              const std::function<bool(std::string_view)>& is_known) {
  return Scanner(tokens, is_known).run();
}

}  // namespace assay::metal
