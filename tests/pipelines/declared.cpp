#include "tests/pipelines/declared.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "harness/metal/constant_expression.hpp"
#include "harness/metal/live.hpp"
#include "harness/metal/preprocess.hpp"

namespace assay::tests {
namespace {

/// Elements of the variable whose name is at `name`: the product of its extents, 1 where it is no array.
/// 0 where what stands there declares no variable.
std::int64_t elements_at(const metal::TokenText& text, metal::IntegerConstants& constants, std::size_t name) {
  const auto& tokens = text.tokens;
  if (name >= tokens.size() || !tokens[name].is_word()) return 0;
  std::int64_t elements = 1;
  auto at = metal::next_significant(tokens, name);
  while (at < tokens.size() && tokens[at].is("[")) {
    const auto close = metal::closing_bracket(tokens, at);
    const std::string extent = metal::text_of(tokens, {at + 1, close});
    const auto value = constants.value(extent);
    if (!value) throw std::runtime_error(fmt::format("{}[{}] is no constant", tokens[name].text, extent));
    elements *= *value;
    at = metal::next_significant(tokens, close);
  }
  return at < tokens.size() && tokens[at].is_any({";", "="}) ? elements : 0;
}

}  // namespace

DeclaredMatrices declared_matrices(const KernelEntry& entry) {
  const auto source = entry.kernel_source();
  const auto text = metal::tokenize(metal::preprocess(source), source.path.string());
  const auto live = metal::live_tokens(text, source);
  metal::IntegerConstants constants(text);
  DeclaredMatrices declared;
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const bool floats = text.tokens[i].is("simdgroup_float8x8");
    if (!live[i] || !(floats || text.tokens[i].is("simdgroup_half8x8"))) continue;
    (floats ? declared.floats : declared.halves) +=
        elements_at(text, constants, metal::next_significant(text.tokens, i));
  }
  return declared;
}

}  // namespace assay::tests
