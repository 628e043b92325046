#include "harness/metal/early_barriers.hpp"

#include <algorithm>
#include <cstddef>

#include "harness/metal/shared_reads.hpp"
#include "harness/metal/signature.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

bool is_matrix_operation(const Token& token) {
  return token.is_any(
      {"simdgroup_load", "simdgroup_store", "simdgroup_multiply", "simdgroup_multiply_accumulate"});
}

bool is_matrix_type(const Token& token) {
  return token.is_any({"simdgroup_matrix", "simdgroup_half8x8", "simdgroup_float8x8", "simdgroup_bfloat8x8"});
}

// May an argument of the matrix operation at `i` be read from memory? Every lane evaluates them, and those
// that went on early would do so too soon. What the operation does with its matrices is lane 0's.
bool arguments_read(const Tokens& tokens, const SharedReads& reads, std::size_t i, std::size_t open) {
  const bool moves = tokens[i].is_any({"simdgroup_load", "simdgroup_store"});
  bool first = true;
  for (const auto& argument : parameter_ranges(tokens, open)) {
    if (moves && !first ? reads.in(argument) : reads.in_matrix(argument)) return true;
    first = false;
  }
  return false;
}

// Skips what stands at `i`, if it is something that only lane 0 acts on: a declaration of matrices, a matrix
// operation, a loop over them, a brace. Returns where it goes on, or 0.
std::size_t skip_matrix_work(const Tokens& tokens, const SharedReads& reads, std::size_t i) {
  if (tokens[i].is("{") || tokens[i].is("}")) return next_significant(tokens, i);
  if (tokens[i].is("metal")) {
    const auto colons = next_significant(tokens, i);
    if (colons >= tokens.size() || !tokens[colons].is("::")) return 0;
    i = next_significant(tokens, colons);
    if (i >= tokens.size()) return 0;
  }
  if (tokens[i].is("for")) {
    const auto open = next_significant(tokens, i);
    if (open >= tokens.size() || !tokens[open].is("(")) return 0;
    const auto close = closing_bracket(tokens, open);
    // What a header reads, every lane would read early.
    if (reads.in({open + 1, std::min(close, tokens.size())})) return 0;
    return next_significant(tokens, close);
  }
  if (is_matrix_operation(tokens[i])) {
    const auto open = next_significant(tokens, i);
    if (open >= tokens.size() || !tokens[open].is("(")) return 0;
    if (arguments_read(tokens, reads, i, open)) return 0;
    const auto end = next_significant(tokens, closing_bracket(tokens, open));
    return end < tokens.size() && tokens[end].is(";") ? next_significant(tokens, end) : 0;
  }
  if (is_matrix_type(tokens[i])) {
    auto end = i;
    while (end < tokens.size() && !tokens[end].is_any({";", "=", "{", "(", "}"})) ++end;
    return end < tokens.size() && tokens[end].is(";") ? next_significant(tokens, end) : 0;
  }
  return 0;
}

// Does nothing but matrix work lead from the end of the barrier at `i` to another simdgroup barrier of the
// same block?
bool leads_to_barrier(const Tokens& tokens, const SharedReads& reads, std::size_t i) {
  const auto open = next_significant(tokens, i);
  if (open >= tokens.size() || !tokens[open].is("(")) return false;
  const auto semicolon = next_significant(tokens, closing_bracket(tokens, open));
  if (semicolon >= tokens.size() || !tokens[semicolon].is(";")) return false;
  int depth = 0;
  bool work = false;
  for (auto at = next_significant(tokens, semicolon); at < tokens.size();) {
    if (tokens[at].is("simdgroup_barrier")) return work && depth == 0;
    depth += tokens[at].is("{") - tokens[at].is("}");
    if (depth < 0) return false;
    work = true;
    at = skip_matrix_work(tokens, reads, at);
    if (at == 0) return false;
  }
  return false;
}

}  // namespace

void mark_early_barriers(TokenText& text) {
  Tokens& tokens = text.tokens;
  const SharedReads reads(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("simdgroup_barrier") || !leads_to_barrier(tokens, reads, i)) continue;
    tokens[i].text = "assay_early_barrier";
    const auto colons = previous_significant(tokens, i);
    if (colons < tokens.size() && tokens[colons].is("::")) {
      tokens[previous_significant(tokens, colons)].rewrite();
      tokens[colons].rewrite();
    }
  }
}

}  // namespace assay::metal
