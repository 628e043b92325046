#include "harness/metal/not_metal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "harness/metal/errors.hpp"
#include "harness/metal/library_words.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

void refuse_double(const TokenText& text) {
  for (const Token& token : text.tokens) {
    const bool real = token.kind == TokenKind::number && token.text.find_first_of(".pP") != std::string::npos;
    const bool wide = real && (token.text.ends_with('l') || token.text.ends_with('L'));
    if (token.is("double") || wide) {
      throw CompileError(text.files[token.file], token.line,
                         wide ? fmt::format("`{}`: Metal has no `double`", token.text)
                              : std::string("Metal has no `double`"));
    }
  }
}

class Calls {
 public:
  Calls(const TokenText& text, const std::vector<Declaration>& all) : text_(text), tokens_(text.tokens) {
    std::map<std::string, int> definitions;
    for (const auto& d : all) {
      if (d.kind == DeclarationKind::function && d.body) ++definitions[d.name];
      // A name that a type or a variable has too is no function's alone.
      if (d.kind != DeclarationKind::function)
        for (const auto& name : d.names) definitions[name] += 2;
    }
    for (const auto& d : all) {
      const bool plain = d.kind == DeclarationKind::function && d.body && !d.name.empty() &&
                         d.template_header.begin == d.template_header.end && !is_constexpr(d);
      if (plain && definitions[d.name] == 1 && !is_library_word(d.name)) functions_[d.name] = &d;
    }
  }

  void refuse_cycles() {
    for (const auto& [name, d] : functions_) visit(name);
  }

 private:
  // It may be for constant expressions alone, which have no stack.
  bool is_constexpr(const Declaration& d) const {
    for (auto i = d.range.begin; i < *d.body; ++i) {
      if (tokens_[i].is("constexpr")) return true;
    }
    return false;
  }

  // Depth first: a call of what is under way closes a cycle.
  void visit(const std::string& name) {
    auto& state = states_[name];
    if (state != State::fresh) return;
    state = State::under_way;
    const Declaration& d = *functions_.at(name);
    for (auto i = *d.body; i < d.range.end; ++i) {
      if (!tokens_[i].is_word() || !functions_.contains(tokens_[i].text) || !is_call(i)) continue;
      if (states_[tokens_[i].text] == State::under_way) {
        throw CompileError(text_.files[tokens_[i].file], tokens_[i].line,
                           fmt::format("`{}` calls itself{}; Metal has no recursion", tokens_[i].text,
                                       tokens_[i].text == name ? "" : " by way of `" + name + "`"));
      }
      visit(tokens_[i].text);
    }
    states_[name] = State::done;
  }

  // A function of this name, rather than a method, one of the library or one that is declared here.
  bool is_call(std::size_t i) const {
    const auto open = next_significant(tokens_, i), before = previous_significant(tokens_, i);
    if (open >= tokens_.size() || !tokens_[open].is("(") || before >= tokens_.size()) return false;
    if (tokens_[before].is_any({".", "->", "::"})) return false;
    return !tokens_[before].is_word() || tokens_[before].is_any({"return", "else", "do", "case"});
  }

  enum class State { fresh, under_way, done };
  const TokenText& text_;
  const Tokens& tokens_;
  std::map<std::string, const Declaration*> functions_;
  std::map<std::string, State> states_;
};

}  // namespace

void refuse_what_metal_lacks(const TokenText& text, const std::vector<Declaration>& declarations) {
  refuse_double(text);
  Calls(text, declarations).refuse_cycles();
}

}  // namespace assay::metal
