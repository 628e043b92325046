#include "harness/metal/function_constants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/metal/constant_expression.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/signature.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// The attribute of a declaration that makes it a function constant.
struct Found {
  TokenRange attribute;
  std::string index;  // expression
};

std::optional<Found> attribute_of(const Tokens& tokens, const Declaration& d) {
  for (std::size_t i = d.range.begin; i < d.range.end; ++i) {
    const auto stop = attribute_end(tokens, i);
    if (!stop) continue;
    for (const auto& attribute : attributes_in(tokens, {i + 2, *stop - 2})) {
      if (attribute.name == "function_constant") return Found{{i, *stop}, attribute.argument};
    }
    i = *stop - 1;
  }
  return std::nullopt;
}

bool is_literal(const std::string& text) {
  const auto tokens = tokenize(text, "").tokens;
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind == TokenKind::number || token.is("true") || token.is("false") || token.is("-");
  });
}

class Constants {
 public:
  Constants(TokenText& text, const std::map<std::uint32_t, std::string>& values)
      : text_(text), tokens_(text.tokens), values_(values), integers_(text) {}

  void define(const Declaration& d) {
    if (d.kind != DeclarationKind::other) return;
    const auto found = attribute_of(tokens_, d);
    if (!found) return;
    std::size_t name = d.range.end;  // the last word outside the attribute
    for (std::size_t i = d.header; i < d.range.end; ++i) {
      if (i == found->attribute.begin) i = found->attribute.end;
      if (tokens_[i].is_word()) name = i;
    }
    if (name == d.range.end) return;
    const Token& place = tokens_[name];
    const auto index = integers_.value(found->index);
    if (!index) {
      throw UnsupportedFeature(
          text_.files[place.file], place.line,
          fmt::format("cannot work out the index `{}` of function constant `{}`; write a number",
                      found->index, place.text));
    }
    found_.indices.push_back(static_cast<std::uint32_t>(*index));
    const auto value = values_.find(static_cast<std::uint32_t>(*index));
    defined_[place.text] = value != values_.end();
    if (value == values_.end()) {
      undefined(d, found->attribute, name, static_cast<std::uint32_t>(*index));
      return;
    }
    if (!is_literal(value->second)) {
      throw CompileError(
          text_.files[place.file], place.line,
          fmt::format("function constant {} (`{}`) has the value `{}`; write a number, true or false", *index,
                      place.text, value->second));
    }
    erase_range(tokens_, found->attribute);
    // The ";" stays a token: passes that follow look for the end of the declaration.
    tokens_[name].after.insert(0, fmt::format(" = {}", value->second));
  }

  FunctionConstants answer_questions() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("is_function_constant_defined")) continue;
      const auto open = next_significant(tokens_, i);
      if (open >= tokens_.size() || !tokens_[open].is("(")) continue;
      const auto close = closing_bracket(tokens_, open);
      if (close >= tokens_.size()) continue;
      const auto name = previous_significant(tokens_, close);
      const auto known = defined_.find(tokens_[name].text);
      const bool is_defined = known != defined_.end() && known->second;
      erase_range(tokens_, {i, close + 1});
      tokens_[i].rewrite(is_defined ? "true" : "false");
    }
    return found_;
  }

 private:
  void undefined(const Declaration& d, TokenRange attribute, std::size_t name, std::uint32_t index) {
    std::string type;
    for (std::size_t i = d.header; i < name; ++i) {
      const Token& token = tokens_[i];
      const bool specifier =
          token.is("constant") || token.is("const") || token.is("static") || token.is("constexpr");
      if (i == attribute.begin) {
        i = attribute.end - 1;
      } else if (token.significant() && !specifier) {
        type += token.text + " ";
      }
    }
    const Token& place = tokens_[name];
    found_.undefined.push_back({index, place.text, text_.files[place.file], place.line});
    const auto declared =
        fmt::format("extern __attribute__((visibility(\"default\"))) const {} {} __asm__(\"{}\");", type,
                    place.text, found_.undefined.back().symbol());
    erase_range(tokens_, d.range);
    tokens_[d.range.begin].rewrite(declared);
  }

  TokenText& text_;
  Tokens& tokens_;
  const std::map<std::uint32_t, std::string>& values_;
  IntegerConstants integers_;
  std::map<std::string, bool> defined_;
  FunctionConstants found_;
};

}  // namespace

FunctionConstants define_function_constants(TokenText& text, const std::vector<Declaration>& declarations,
                                            const std::map<std::uint32_t, std::string>& values) {
  Constants constants(text, values);
  for (const auto& declaration : declarations) constants.define(declaration);
  return constants.answer_questions();
}

}  // namespace assay::metal
