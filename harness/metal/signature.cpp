#include "harness/metal/signature.hpp"

#include <algorithm>
#include <utility>

#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

std::string text_of(const Tokens& tokens, TokenRange range) {
  std::string all;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (tokens[i].kind == TokenKind::directive) continue;
    if (tokens[i].kind == TokenKind::space) {
      if (!all.empty() && all.back() != ' ') all += ' ';
    } else {
      all += tokens[i].text;
    }
  }
  while (!all.empty() && all.back() == ' ') all.pop_back();
  return all;
}

KernelParameter parse_parameter(const Tokens& tokens, TokenRange range) {
  KernelParameter parameter;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = tokens[i];
    if (!token.significant()) continue;
    if (const auto end = attribute_end(tokens, i)) {
      for (const auto& attribute : attributes_in(tokens, {i + 2, *end - 2})) {
        parameter.attribute = attribute.name;
        parameter.index = attribute.argument;
      }
      i = *end - 1;
      continue;
    }
    if (token.is("<")) {  // template arguments of the type hold no parameter name
      const auto close = closing_angle(tokens, i);
      if (close < range.end) i = close;
      continue;
    }
    if (token.is("[")) {  // array bound
      i = std::min(closing_bracket(tokens, i), range.end);
      continue;
    }
    if (token.is("=")) break;
    parameter.pointer |= token.is("*") || token.is("&");
    parameter.reference |= token.is("&");
    parameter.constant |= token.is("constant");
    if (token.kind == TokenKind::identifier) {
      parameter.name = token.text;
      parameter.file = token.file;
      parameter.line = token.line;
    }
  }
  return parameter;
}

std::vector<KernelParameter> parse_parameters(const Tokens& tokens, std::size_t open, std::size_t close) {
  std::vector<KernelParameter> parameters;
  std::size_t begin = open + 1;
  const auto flush = [&](std::size_t end) {
    if (!text_of(tokens, {begin, end}).empty()) parameters.push_back(parse_parameter(tokens, {begin, end}));
    begin = end + 1;
  };
  for (std::size_t i = open + 1; i < close; ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = closing_bracket(tokens, i);
    } else if (tokens[i].is("<")) {
      const auto end = closing_angle(tokens, i);
      if (end < close) i = end;
    } else if (tokens[i].is(",")) {
      flush(i);
    }
  }
  flush(close);
  if (parameters.size() == 1 && parameters[0].name == "void") parameters.clear();
  return parameters;
}

class Indexer {
 public:
  explicit Indexer(const TokenText& text) : text_(text), tokens_(text.tokens) {}

  KernelIndex run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (!token.significant()) continue;
      if (token.is("namespace")) note_namespace(i);
      if (token.is("{")) scopes_.push_back(std::exchange(pending_namespace_, {}));
      if (token.is("}") && !scopes_.empty()) scopes_.pop_back();
      if (token.is(";") || token.is("{") || token.is("}")) {
        statement_ = i + 1;
        if (token.is(";")) pending_namespace_.clear();  // `using namespace metal;` opens none
        continue;
      }
      if (token.is("template")) {
        if (auto end = instantiation(i)) i = *end - 1, statement_ = *end;
      } else if (token.is("kernel") && !inside_attribute(i)) {
        i = function(i, i) - 1;
        statement_ = i + 1;
      } else if (const auto end = attribute_end(tokens_, i)) {
        const auto list = attributes_in(tokens_, {i + 2, *end - 2});
        if (std::any_of(list.begin(), list.end(), [](const auto& a) { return a.name == "kernel"; })) {
          i = function(i, *end - 1) - 1;
          statement_ = i + 1;
        } else {
          i = *end - 1;
        }
      }
    }
    return std::move(index_);
  }

 private:
  bool inside_attribute(std::size_t i) const {
    const auto before = previous_significant(tokens_, i);
    return before < tokens_.size() && tokens_[before].is("[");
  }

  void note_namespace(std::size_t i) {
    const auto name = next_significant(tokens_, i);
    if (name < tokens_.size() && tokens_[name].kind == TokenKind::identifier) {
      pending_namespace_ = tokens_[name].text + "::";
    }
  }

  [[noreturn]] void cut_short(std::size_t at, const std::string& what) const {
    const Token& token = tokens_[std::min(at, tokens_.size() - 1)];
    throw CompileError(text_.files[token.file], token.line, what);
  }

  // `kernel void name(parameters) {...}` with `keyword` at `kernel`; returns the index behind it.
  std::size_t function(std::size_t keyword, std::size_t from) {
    std::size_t open = from + 1;
    std::size_t name = tokens_.size();
    for (; open < tokens_.size() && !tokens_[open].is("("); ++open) {
      if (const auto end = attribute_end(tokens_, open)) {
        open = *end - 1;
      } else if (tokens_[open].is("__attribute__")) {
        open = closing_bracket(tokens_, next_significant(tokens_, open));
      } else if (tokens_[open].kind == TokenKind::identifier) {
        name = open;
      } else if (tokens_[open].is(";") || tokens_[open].is("{")) {
        cut_short(keyword, "`kernel` is not followed by a function");
      }
    }
    const auto close = closing_bracket(tokens_, open);
    if (close >= tokens_.size() || name >= tokens_.size()) cut_short(keyword, "kernel function is cut short");
    auto body = next_significant(tokens_, close);
    while (body < tokens_.size() && attribute_end(tokens_, body)) {
      body = next_significant(tokens_, *attribute_end(tokens_, body) - 1);
    }
    if (body < tokens_.size() && tokens_[body].is(";")) return body + 1;  // a declaration
    if (body >= tokens_.size() || !tokens_[body].is("{")) cut_short(close, "kernel function has no body");
    const auto end = closing_bracket(tokens_, body);
    if (end >= tokens_.size()) cut_short(body, "the kernel function's body is not closed");
    KernelFunction found;
    for (const auto& scope : scopes_) found.name += scope;
    found.name += tokens_[name].text;
    found.range = {statement_, end + 1};
    found.keyword = keyword;
    for (std::size_t i = statement_; i < keyword; ++i) found.is_template |= tokens_[i].is("template");
    found.parameters = parse_parameters(tokens_, open, close);
    index_.functions.push_back(std::move(found));
    return end + 1;
  }

  // `template [[host_name("x")]] ... f<...> [(parameters)] ;`: the index behind it, if it is one.
  std::optional<std::size_t> instantiation(std::size_t at) {
    const auto next = next_significant(tokens_, at);
    if (next >= tokens_.size() || tokens_[next].is("<")) return std::nullopt;
    std::size_t end = next;
    while (end < tokens_.size() && !tokens_[end].is(";")) {
      if (tokens_[end].is("{")) return std::nullopt;
      ++end;
    }
    if (end >= tokens_.size()) return std::nullopt;
    KernelInstantiation found;
    found.range = {at, end + 1};
    for (std::size_t i = next; i < end; ++i) {
      if (const auto stop = attribute_end(tokens_, i)) {
        for (const auto& attribute : attributes_in(tokens_, {i + 2, *stop - 2})) {
          if (attribute.name == "host_name" && attribute.argument.size() >= 2) {
            found.host_name = attribute.argument.substr(1, attribute.argument.size() - 2);
          }
        }
        i = *stop - 1;
      } else if (tokens_[i].is("decltype")) {
        i = closing_bracket(tokens_, next_significant(tokens_, i));
      } else if (tokens_[i].is("(")) {
        break;
      } else if (tokens_[i].is("<")) {
        const auto close = closing_angle(tokens_, i);
        const auto name = previous_significant(tokens_, i);
        if (close >= end || name >= tokens_.size()) break;
        found.function = tokens_[name].text;
        found.template_id = text_of(tokens_, {name, close + 1});
        i = close;
      }
    }
    if (found.host_name.empty() || found.function.empty()) return std::nullopt;
    index_.instantiations.push_back(std::move(found));
    return end + 1;
  }

  const TokenText& text_;
  const Tokens& tokens_;
  KernelIndex index_;
  std::size_t statement_ = 0;  // where the present declaration began
  std::vector<std::string> scopes_;
  std::string pending_namespace_;
};

}  // namespace

std::optional<std::size_t> attribute_end(const std::vector<Token>& tokens, std::size_t i) {
  if (i + 1 >= tokens.size() || !tokens[i].is("[") || !tokens[i + 1].is("[")) return std::nullopt;
  const auto inner = closing_bracket(tokens, i + 1);
  const auto outer = closing_bracket(tokens, i);
  if (outer >= tokens.size() || inner + 1 != outer) return std::nullopt;
  return outer + 1;
}

std::vector<Attribute> attributes_in(const std::vector<Token>& tokens, TokenRange inside) {
  std::vector<Attribute> list;
  for (std::size_t i = inside.begin; i < inside.end; ++i) {
    if (tokens[i].kind != TokenKind::identifier) continue;
    auto next = next_significant(tokens, i);
    if (next < inside.end && tokens[next].is("::")) continue;  // a vendor's prefix
    Attribute attribute{tokens[i].text, {}};
    if (next < inside.end && tokens[next].is("(")) {
      const auto close = closing_bracket(tokens, next);
      attribute.argument = text_of(tokens, {next + 1, close});
      i = close;
    }
    list.push_back(std::move(attribute));
  }
  return list;
}

KernelIndex index_kernels(const TokenText& text) { return Indexer(text).run(); }

}  // namespace assay::metal
