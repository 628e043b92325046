#include "harness/metal/dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/metal/errors.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

bool is_vector_attribute(const Token& token) {
  return token.is("ext_vector_type") || token.is("__ext_vector_type__");
}

// The statement around token i, without its ";".
TokenRange statement_around(const Tokens& tokens, std::size_t i) {
  TokenRange range{i, i};
  const auto stops = [](const Token& token) { return token.is(";") || token.is("{") || token.is("}"); };
  while (range.begin > 0 && !stops(tokens[range.begin - 1])) --range.begin;
  while (range.end < tokens.size() && !stops(tokens[range.end])) ++range.end;
  return range;
}

// `half __attribute__((...)) x`: the words of the type stand right before it.
bool rewrite_behind_type(TokenText& text, std::size_t attribute, const std::string& width) {
  Tokens& tokens = text.tokens;
  auto begin = attribute;
  while (begin > 0 && !tokens[begin].is_any({"__attribute__", "__attribute"})) --begin;
  const auto end = closing_bracket(tokens, next_significant(tokens, begin));
  const TypeWords types(text);
  auto first = begin;
  for (auto i = previous_significant(tokens, begin); types.is_type(i); i = previous_significant(tokens, i))
    first = i;
  if (first == begin || end >= tokens.size() || end <= attribute) return false;
  const auto type = fmt::format("metal::vec<{}, {}>", text_of(tokens, {first, begin}), width);
  erase_range(tokens, {first, end + 1});
  tokens[first].rewrite(type);
  return true;
}

// `typedef half half4_t __attribute__((...))`, `using half4_t = half __attribute__((...))`, and the same
// behind `template <...>`.
void rewrite_vector_type(TokenText& text, std::size_t attribute) {
  Tokens& tokens = text.tokens;
  const auto range = statement_around(tokens, attribute);
  const auto open = next_significant(tokens, attribute);
  const auto width = open < tokens.size() ? text_of(tokens, {open + 1, closing_bracket(tokens, open)}) : "";
  const auto refuse = [&] {
    throw UnsupportedFeature(
        text.files[tokens[attribute].file], tokens[attribute].line,
        "`ext_vector_type` is supported only behind a type, in `typedef` and in `using`");
  };
  std::vector<std::string> words;
  std::string name;
  auto first = next_significant(tokens, range.begin - 1);
  if (first < range.end && tokens[first].is("template")) {
    const auto close = closing_angle(tokens, next_significant(tokens, first));
    first = next_significant(tokens, std::min(close, tokens.size() - 1));
  }
  if (first >= range.end || !tokens[first].is_any({"typedef", "using"})) {
    if (!rewrite_behind_type(text, attribute, width)) refuse();
    return;
  }
  const bool alias = tokens[first].is("using");
  for (std::size_t i = first + 1; i < range.end; ++i) {
    if (tokens[i].is("__attribute__")) {
      i = closing_bracket(tokens, next_significant(tokens, i));
    } else if (const auto end = attribute_end(tokens, i)) {
      i = *end - 1;
    } else if (tokens[i].is("=") && words.size() == 1) {
      name = words[0];
      words.clear();
    } else if (tokens[i].significant()) {
      if (tokens[i].is_any({",", "[", "*", "&"})) refuse();
      words.push_back(tokens[i].text);
    }
  }
  if (name.empty() && !words.empty()) {
    name = words.back();
    words.pop_back();
  }
  if (words.empty() || name.empty()) refuse();
  const auto type = fmt::format("metal::vec<{}, {}>", fmt::join(words, " "), width);
  const auto rewritten =
      alias ? fmt::format("using {} = {}", name, type) : fmt::format("typedef {} {}", type, name);
  erase_range(tokens, {first, range.end});
  tokens[first].rewrite(rewritten);
}

}  // namespace

void erase_attributes(TokenText& text) {
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    // Checked code is inlined (ASSAY_IN_ONE), which is not for the text to forbid.
    if (text.tokens[i].is("noinline") || text.tokens[i].is("__noinline__")) text.tokens[i].rewrite("unused");
    if (const auto end = attribute_end(text.tokens, i)) erase_range(text.tokens, {i, *end});
    // Of loops, as `__attribute__((opencl_unroll_hint(4)))`.
    if (!text.tokens[i].is_any({"__attribute__", "__attribute"})) continue;
    const auto close = closing_bracket(text.tokens, next_significant(text.tokens, i));
    const auto behind = next_significant(text.tokens, close);
    const auto before = previous_significant(text.tokens, i);
    // g++ takes none between the parameters of a definition and its body.
    const bool of_definition = before < text.tokens.size() && text.tokens[before].is(")") &&
                               behind < text.tokens.size() && text.tokens[behind].is("{");
    if (of_definition || (behind < text.tokens.size() && text.tokens[behind].is_any({"for", "while", "do"})))
      erase_range(text.tokens, {i, close + 1});
  }
}

void rewrite_vector_types(TokenText& text) {
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    if (is_vector_attribute(text.tokens[i])) rewrite_vector_type(text, i);
  }
}

void spell_as_cpp(TokenText& text) {
  for (auto& token : text.tokens) {
    if (token.is("_Static_assert")) token.text = "static_assert";
  }
}

namespace {

// The "<" behind the name of a class that is specialised; tokens.size() where the class is the template
// itself.
std::size_t arguments_of(const Tokens& tokens, const Declaration& type) {
  for (auto i = type.header; i < type.body.value_or(type.range.end) && !tokens[i].is(":"); ++i) {
    if (tokens[i].is("<")) return i;
  }
  return tokens.size();
}

// `template <> struct Cast<int> {...}` among the members of a class: g++ takes partial specialisations there,
// so that one of a parameter more, which nobody gives, is what is written.
class MemberClasses {
 public:
  MemberClasses(TokenText& text, const std::vector<Declaration>& members)
      : tokens_(text.tokens), members_(members) {}

  bool specialise(const Declaration& member) {
    if (member.kind != DeclarationKind::type) return false;
    const auto open = arguments_of(tokens_, member);
    if (open >= tokens_.size() || !widen(tokens_[previous_significant(tokens_, open)].text)) return false;
    erase_range(tokens_, member.template_header);
    tokens_[member.template_header.end - 1].after += " template <class assay_any> ";
    tokens_[closing_angle(tokens_, open) - 1].after += ", assay_any";
    return true;
  }

 private:
  // Gives the template, whatever announces it and its partial specialisations the parameter; false where
  // there is none, or one of many.
  bool widen(const std::string& name) {
    if (std::find(widened_.begin(), widened_.end(), name) != widened_.end()) return true;
    std::vector<std::pair<TokenRange, std::size_t>> all;  // headers, and what arguments_of() says of each
    bool found = false;
    for (const auto& one : members_) {
      const auto head = one.template_header;
      if (head.begin == head.end || one.explicit_specialisation ||
          !tokens_[one.header].is_any({"struct", "class", "union"}))
        continue;
      const auto open = arguments_of(tokens_, one);
      const bool partial = open < tokens_.size();
      const bool named = partial ? tokens_[previous_significant(tokens_, open)].is(name)
                                 : std::find(one.names.begin(), one.names.end(), name) != one.names.end();
      if (!named) continue;
      if (text_of(tokens_, head).find("...") != std::string::npos) return false;
      found |= !partial;
      all.emplace_back(head, open);
    }
    if (!found) return false;
    bool given = false;  // what it is where nobody gives it: said once
    for (const auto& [head, open] : all) {
      const bool partial = open < tokens_.size();
      tokens_[head.end - 2].after += partial || given ? ", class assay_any" : ", class assay_any = void";
      given |= !partial;
      if (partial) tokens_[closing_angle(tokens_, open) - 1].after += ", assay_any";
    }
    widened_.push_back(name);
    return true;
  }

  Tokens& tokens_;
  const std::vector<Declaration>& members_;
  std::vector<std::string> widened_;
};

}  // namespace

void overload_member_specialisations(TokenText& text, const std::vector<Declaration>& declarations) {
  for (const auto& d : declarations) {
    if (d.kind != DeclarationKind::type) continue;
    const auto members = members_of(text, d);
    MemberClasses classes(text, members);
    for (const auto& member : members) {
      if (!member.explicit_specialisation || classes.specialise(member)) continue;
      const auto last = member.parameters ? previous_significant(text.tokens, *member.parameters) : 0;
      const bool has_arguments = text.tokens[last].is(">") && member.name != "operator";
      if (member.kind != DeclarationKind::function || has_arguments) {
        const Token& place = text.tokens[member.header];
        throw UnsupportedFeature(text.files[place.file], place.line,
                                 fmt::format("`{}`: a specialisation inside a class is supported only if the "
                                             "function's arguments select it; move it outside of the class",
                                             member.name));
      }
      erase_range(text.tokens, member.template_header);
    }
    overload_member_specialisations(text, members);
  }
}

void rewrite_enum_typedefs(TokenText& text) {
  Tokens& tokens = text.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("enum")) continue;
    const auto before = previous_significant(tokens, i);
    const auto name = next_significant(tokens, i), colon = next_significant(tokens, name);
    if (before >= tokens.size() || !tokens[before].is("typedef") || colon >= tokens.size() ||
        !tokens[colon].is(":")) {
      continue;
    }
    const auto end = statement_around(tokens, i).end;
    const auto last = previous_significant(tokens, end);
    if (end >= tokens.size() || !tokens[end].is(";") || last <= colon) continue;
    tokens[before].rewrite();
    tokens[end].after = tokens[last].is(tokens[name].text)
                            ? ""
                            : fmt::format(" typedef {} {};", tokens[name].text, tokens[last].text);
    tokens[last].rewrite();
  }
}

void rewrite_literals(TokenText& text) {
  for (auto& token : text.tokens) {
    if (token.kind != TokenKind::number || token.text.size() < 2) continue;
    if (token.text.find('_') != std::string::npos) {  // their operators take types that Metal lacks
      throw UnsupportedFeature(text.files[token.file], token.line,
                               fmt::format("`{}`: user-defined literals are not supported", token.text));
    }
    const bool hexadecimal = token.text.starts_with("0x") || token.text.starts_with("0X");
    if (hexadecimal && token.text.find_first_of("pP") == std::string::npos) continue;
    const bool real = token.text.find_first_of(hexadecimal ? "." : ".eE") != std::string::npos || hexadecimal;
    const auto ends_with = [&](std::string_view lower, std::string_view upper) {
      return token.text.ends_with(lower) || token.text.ends_with(upper);
    };
    if (ends_with("bf", "BF")) {
      const auto digits = token.text.substr(0, token.text.size() - 2);
      token.rewrite(fmt::format("bfloat({}{})", digits, real ? "f" : ""));
    } else if (ends_with("h", "H")) {
      // Rounded once: by way of long double, since unsuffixed constants are float.
      const auto digits = token.text.substr(0, token.text.size() - 1);
      token.rewrite(fmt::format("half({}{})", digits, real ? "L" : ""));
    }
  }
}

void plain_line_markers(TokenText& text) {
  for (auto& token : text.tokens) {
    if (token.kind != TokenKind::directive || token.text.size() < 3 || token.text[1] != ' ') continue;
    const auto quote = token.text.rfind('"');
    if (quote != std::string::npos) token.text.erase(quote + 1);
  }
}

}  // namespace assay::metal
