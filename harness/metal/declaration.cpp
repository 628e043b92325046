#include "harness/metal/declaration.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

template <std::size_t N>
bool one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return token.is_word() && std::find(words.begin(), words.end(), token.text) != words.end();
}

bool opens_type(const Token& token) { return one_of<4>(token, {"struct", "class", "union", "enum"}); }

// Words whose parentheses hold no parameters.
bool takes_parentheses(const Token& token) {
  return one_of<9>(token, {"__attribute__", "__attribute", "decltype", "alignas", "noexcept", "__declspec",
                           "asm", "__asm", "__asm__"});
}

class Splitter {
 public:
  Splitter(const Tokens& tokens, std::vector<Declaration>& out) : tokens_(tokens), out_(out) {}

  void scope(TokenRange inside, const std::vector<std::string>& around) {
    end_ = inside.end;
    for (std::size_t i = inside.begin; i < inside.end;) {
      const Token& token = tokens_[i];
      if (!token.significant() || token.is(";") || token.is("}")) {
        ++i;
      } else if (const auto opened = namespace_at(i, around)) {
        i = *opened;
        end_ = inside.end;
      } else if (access_specifier(i)) {
        i = next(i) + 1;
      } else {
        i = declaration(i, around);
      }
    }
  }

 private:
  std::size_t next(std::size_t i) const { return std::min(next_significant(tokens_, i), end_); }
  std::size_t past(std::size_t open) const { return std::min(closing_bracket(tokens_, open), end_); }
  bool at(std::size_t i, std::string_view text) const { return i < end_ && tokens_[i].is(text); }

  bool access_specifier(std::size_t i) const {
    return one_of<3>(tokens_[i], {"public", "private", "protected"}) && at(next(i), ":");
  }

  // `namespace a::b {...}` or `extern "C" {...}` at i: splits what is inside; returns the index behind it.
  std::optional<std::size_t> namespace_at(std::size_t i, const std::vector<std::string>& around) {
    std::vector<std::string> inner = around;
    std::size_t open = tokens_[i].is("inline") ? next(i) : i;
    if (at(open, "namespace")) {
      std::string name;
      for (open = next(open);
           open < end_ && (tokens_[open].is_word() || at(open, "::") || attribute_end(tokens_, open));
           open = next(open)) {
        if (const auto stop = attribute_end(tokens_, open)) {
          open = *stop - 1;
        } else if (at(open, "::")) {
          inner.push_back(std::exchange(name, {}));
        } else {
          name = tokens_[open].text;
        }
      }
      inner.push_back(name);
    } else if (at(i, "extern") && next(i) < end_ && tokens_[next(i)].kind == TokenKind::string) {
      open = next(next(i));
    } else {
      return std::nullopt;
    }
    if (!at(open, "{")) return std::nullopt;
    const std::size_t close = past(open);
    scope({open + 1, close}, inner);
    return close + 1;
  }

  std::size_t declaration(std::size_t begin, const std::vector<std::string>& around) {
    Declaration d;
    d.scope = around;
    d.range = {begin, end_};
    d.header = template_headers(begin, d);
    scan(d);
    name_all(d);
    out_.push_back(d);
    return d.range.end;
  }

  std::size_t template_headers(std::size_t i, Declaration& d) const {
    d.template_header = {i, i};
    while (at(i, "template")) {
      const std::size_t open = next(i);
      if (!at(open, "<")) {
        d.explicit_instantiation = true;
        return open;
      }
      const std::size_t close = closing_angle(tokens_, open);
      if (close >= end_) return end_;
      d.explicit_specialisation = next(open) == close;
      d.template_header.end = close + 1;
      i = next(close);
    }
    return i;
  }

  // Finds the parameters, the body and the end.
  void scan(Declaration& d) {
    bool initialised = false, type = false;
    for (std::size_t i = d.header; i < end_; i = next(i)) {
      const Token& token = tokens_[i];
      if (const auto stop = attribute_end(tokens_, i)) {
        i = *stop - 1;
      } else if (takes_parentheses(token) && at(next(i), "(")) {
        i = past(next(i));
      } else if (token.is(";")) {
        return finish(d, i + 1, type);
      } else if (token.is("}")) {
        return finish(d, i, type);  // the enclosing scope's
      } else if (token.is("operator") && !d.parameters) {
        i = operator_name(i, d);
      } else if (token.is("=")) {
        initialised = true;
      } else if (token.is(",")) {
        initialised = false;
      } else if (opens_type(token) && !d.parameters) {
        type = true;
      } else if (token.is("(")) {
        const std::size_t inner = next(i);
        const bool declarator = at(inner, "*") || at(inner, "&") || at(inner, "^") || at(d.header, "typedef");
        if (!d.parameters && !initialised && !declarator && !d.body) d.parameters = i;
        i = past(i);
      } else if (token.is("[")) {
        i = past(i);
      } else if (token.is("<")) {
        // In an initialiser it may compare; `Table<int, 4>({1, 2})` makes what the name is of.
        const std::size_t close = closing_angle(tokens_, i);
        if (close < end_ && (!initialised || at(next(close), "(") || at(next(close), "{"))) i = close;
      } else if (token.is(":") && d.parameters && !d.body) {
        i = initialisers(i);
      } else if (token.is("{")) {
        const std::size_t close = past(i);
        if (d.parameters && !initialised) {
          d.body = i;
          d.complete = close < end_;
          return finish(d, std::min(close + 1, end_), type);
        }
        if (type && !d.body) d.body = i;
        i = close;
      }
    }
    d.complete = false;
    finish(d, end_, type);
  }

  void finish(Declaration& d, std::size_t end, bool type) const {
    d.range.end = end;
    if (d.parameters) {
      d.kind = DeclarationKind::function;
    } else if (type && d.body && !tokens_[d.header].is("typedef")) {
      d.kind = DeclarationKind::type;
    }
  }

  // operator+ ( ... : the index of the last token of the name.
  std::size_t operator_name(std::size_t i, Declaration& d) const {
    d.name = "operator";
    std::size_t last = i;
    if (at(next(i), "(") && at(next(next(i)), ")")) return next(next(i));
    for (std::size_t k = next(i); k < end_ && !at(k, "(") && !at(k, ";") && !at(k, "{"); k = next(k))
      last = k;
    return last;
  }

  // `: a(1), b{2}` of a constructor: the index of its last token.
  std::size_t initialisers(std::size_t colon) const {
    std::size_t last = colon;
    for (std::size_t i = next(colon); i < end_; i = next(i)) {
      if (at(i, "<")) {
        i = std::min(closing_angle(tokens_, i), end_ - 1);
      } else if (at(i, "(") || at(i, "{")) {
        last = past(i);
        const std::size_t comma = next(last);
        if (at(comma, "...")) last = comma;
        if (!at(next(last), ",")) return last;
        i = next(last);
      }
    }
    return last;
  }

  void name_all(Declaration& d) const {
    if (d.kind == DeclarationKind::function) return name_function(d);
    if (tokens_[d.header].is("using")) {
      const std::size_t name = next(d.header);
      if (at(next(name), "=")) d.names = {tokens_[name].text};
    } else if (!tokens_[d.header].is("static_assert")) {
      name_others(d);
    }
  }

  void name_function(Declaration& d) const {
    if (!d.name.empty()) return;  // an operator: called without its name
    std::size_t i = previous_significant(tokens_, *d.parameters);
    for (std::size_t k = i; k > d.header && i < end_ && tokens_[i].is("]"); --k) {  // f [[host_name("x")]] (
      if (attribute_end(tokens_, k) == i + 1) i = previous_significant(tokens_, k);
    }
    if (i < end_ && tokens_[i].is(">")) {  // f<int>(
      const auto header = std::span(tokens_).first(i + 1);
      std::size_t open = d.header;
      while (open < i && closing_angle(header, open) != i) ++open;
      while (open < i && !tokens_[open].is("<")) ++open;
      i = previous_significant(tokens_, open);
    }
    if (i >= end_ || i < d.header || !tokens_[i].is_word()) return;
    d.name = tokens_[i].text;
    const std::size_t before = previous_significant(tokens_, i);
    const bool special =
        i == d.header || (before < end_ && tokens_[before].is("~"));  // constructor, destructor
    if (!special) d.names = {d.name};
  }

  // Types and their enumerators, variables, typedefs: too many names rather than too few.
  void name_others(Declaration& d) const {
    for (std::size_t i = d.header; i < d.range.end; i = next(i)) {
      if (const auto stop = attribute_end(tokens_, i)) {
        i = *stop - 1;
      } else if (takes_parentheses(tokens_[i]) && at(next(i), "(")) {
        i = past(next(i));
      } else if (d.body == i) {
        if (!d.names.empty()) d.name = d.names.front();
        const std::size_t close = past(i);
        if (is_enumeration(d)) {
          for (std::size_t k = i; k < close; k = next(k)) {
            if (tokens_[k].is_word()) d.names.push_back(tokens_[k].text);
          }
        }
        i = close;
      } else if (at(i, "(")) {
        const std::size_t name = declarator_in(i, d.names.empty());
        if (name < end_) d.names.push_back(tokens_[name].text);
        i = past(i);
      } else if (at(i, "[") || at(i, "{")) {
        i = past(i);
      } else if (at(i, "=")) {
        i = initialiser(i);
      } else if (tokens_[i].is_word()) {
        const std::size_t then = next(i);
        const bool tag = d.body && i < *d.body && at(then, "<");
        const bool ends = at(then, "=") || at(then, "[") || at(then, ",") || at(then, ";") || at(then, "{") ||
                          at(then, ":");
        if (tag || ends) d.names.push_back(tokens_[i].text);
      } else if (at(i, "<")) {
        const std::size_t close = closing_angle(tokens_, i);
        if (close < d.range.end) i = close;
      }
    }
  }

  // The name in `(*name)` or `(&name)[4]`; in `(name)` if it may be plain.
  std::size_t declarator_in(std::size_t open, bool plain) const {
    std::size_t i = next(open);
    if (at(i, "*") || at(i, "&") || at(i, "^")) plain = true;
    if (!plain) return end_;
    while (at(i, "*") || at(i, "&") || at(i, "^") || at(i, "const")) i = next(i);
    const std::size_t then = next(i);
    return i < end_ && tokens_[i].is_word() && (at(then, ")") || at(then, "[")) ? i : end_;
  }

  // From "=" to the last token of the initialiser.
  std::size_t initialiser(std::size_t i) const {
    for (std::size_t k = next(i); k < end_ && !at(k, ",") && !at(k, ";"); k = next(k)) {
      i = k;
      if (at(k, "(") || at(k, "[") || at(k, "{")) i = k = past(k);
    }
    return i;
  }

  bool is_enumeration(const Declaration& d) const {
    for (std::size_t i = d.header; i < *d.body; i = next(i)) {
      if (tokens_[i].is("enum")) return true;
    }
    return false;
  }

  const Tokens& tokens_;
  std::vector<Declaration>& out_;
  std::size_t end_ = 0;
};

}  // namespace

std::vector<Declaration> declarations_of(const TokenText& text) {
  std::vector<Declaration> all;
  Splitter(text.tokens, all).scope({0, text.tokens.size()}, {});
  return all;
}

std::vector<Declaration> members_of(const TokenText& text, const Declaration& type) {
  std::vector<Declaration> all;
  if (type.kind == DeclarationKind::function || !type.body) return all;
  const std::size_t close = closing_bracket(text.tokens, *type.body);
  Splitter(text.tokens, all).scope({*type.body + 1, close}, type.scope);
  return all;
}

std::optional<std::size_t> attribute_end(const std::vector<Token>& tokens, std::size_t i) {
  if (i + 1 >= tokens.size() || !tokens[i].is("[") || !tokens[i + 1].is("[")) return std::nullopt;
  const auto inner = closing_bracket(tokens, i + 1);
  const auto outer = closing_bracket(tokens, i);
  if (outer >= tokens.size() || inner + 1 != outer) return std::nullopt;
  return outer + 1;
}

std::vector<std::string> words_in(const std::vector<Token>& tokens, TokenRange range) {
  std::vector<std::string> words;
  for (auto i = range.begin; i < range.end; ++i) {
    if (const auto stop = attribute_end(tokens, i)) {
      i = *stop - 1;
    } else if (tokens[i].significant()) {
      words.push_back(tokens[i].text);
    }
  }
  return words;
}

}  // namespace assay::metal
