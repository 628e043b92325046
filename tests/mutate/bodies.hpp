// What operators make of the body of a function.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/mutate/mutation.hpp"

namespace assay::mutate {

inline metal::TokenText tokens_of(const std::string& text) { return metal::tokenize(text, "k.metal"); }

/// Every token may be changed.
inline std::vector<Mutation> all_of(const metal::TokenText& text, OperatorSet operators) {
  return operators(text, std::vector<bool>(text.tokens.size(), true));
}

/// Without the white space around it, by the kinds asked for.
inline std::vector<std::string> bodies_by(OperatorSet operators, const std::string& body,
                                          const std::set<std::string>& kinds) {
  const std::string before = "void f() {", after = "}";
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
