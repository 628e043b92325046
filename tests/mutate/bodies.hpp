// What operators make of the body of a function.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "harness/mutate/mutation.hpp"
#include "tests/metal/body_names.hpp"
#include "tests/metal/syntax.hpp"

namespace assay::mutate {

inline metal::TokenText tokens_of(const std::string& text) { return metal::tokenize(text, "k.metal"); }

inline metal::Syntax syntax_of(const metal::TokenText& text) { return metal::syntax_of(text.str()); }

/// Every token may be changed, but the names that bodies use.
inline std::vector<Mutation> all_of(const metal::TokenText& text, OperatorSet operators) {
  std::vector<bool> live;
  std::size_t left = text.str().starts_with(metal::kBodyNames) ? metal::kBodyNames.size() : 0;
  for (const auto& token : text.tokens) {
    live.push_back(left == 0);
    left -= std::min(left, token.text.size());
  }
  return operators(text, live, syntax_of(text));
}

/// Without the white space around it, by the kinds asked for.
inline std::vector<std::string> bodies_by(OperatorSet operators, const std::string& body,
                                          const std::set<std::string>& kinds) {
  const std::string before = metal::kBodyNames + "void f() {", after = "}";
  const auto text = tokens_of(before + body + after);
  std::vector<std::string> found;
  for (const auto& mutation : all_of(text, operators)) {
    if (!kinds.contains(mutation.kind)) continue;
    const auto mutant = apply(text, mutation);
    found.push_back(mutant.substr(before.size(), mutant.size() - before.size() - after.size()));
  }
  return found;
}

}  // namespace assay::mutate
