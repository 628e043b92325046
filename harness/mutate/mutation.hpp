// Small faults put into Metal text, token by token: comparisons, arithmetic, constants, barriers, ...
//
// Knows nothing of how a mutant is judged. docs/mutation.md lists the operators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/metal/text/outline.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::mutate {

/// What stands in place of a range of tokens. White space and lines stay.
struct Edit {
  metal::TokenRange range;
  std::string with;
};

/// One fault.
struct Mutation {
  std::string kind;         ///< "comparison", "constant", "barrier", ...
  std::vector<Edit> edits;  ///< ascending, not overlapping, none empty

  std::size_t first_token() const { return edits.front().range.begin; }
};

/// Every mutation of the live tokens (see metal::live_tokens), in the order of the text. What stands in
/// attributes, in template headers and in the kernel's own parameter list is left alone. Some do not compile:
/// only a compiler can tell. `syntax`: of that text.
std::vector<Mutation> mutations_of(const metal::TokenText& text, const std::vector<bool>& live,
                                   const metal::Syntax& syntax);

/// What mutations_of and repairs_of have in common.
using OperatorSet = std::vector<Mutation> (*)(const metal::TokenText&, const std::vector<bool>&,
                                              const metal::Syntax&);

/// Single changes that may put a faulty kernel right: all mutations, since most are the way back of another,
/// and what has no way forth: initial values, wider types, stronger barriers and fences, and a
/// threadgroup_barrier between any two statements.
std::vector<Mutation> repairs_of(const metal::TokenText& text, const std::vector<bool>& live,
                                 const metal::Syntax& syntax);

/// The text with one mutation; every line keeps its number.
std::string apply(const metal::TokenText& text, const Mutation& mutation);

}  // namespace assay::mutate
