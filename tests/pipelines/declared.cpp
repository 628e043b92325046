#include "tests/pipelines/declared.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "harness/metal/text/live.hpp"
#include "harness/metal/text/outline_query.hpp"
#include "harness/metal/text/preprocess.hpp"

namespace assay::tests {
namespace {

class Extents {
 public:
  Extents(const metal::TokenText& text, const metal::Outline& outline)
      : tokens_(text.tokens), outline_(outline) {}

  /// Elements of the variable whose name is at `name`: the product of its extents, 1 where it is no array.
  /// 0 where what stands there declares no variable.
  std::int64_t elements_at(std::size_t name) const {
    if (name >= tokens_.size() || !tokens_[name].is_word()) return 0;
    std::int64_t elements = 1;
    auto at = metal::next_significant(tokens_, name);
    while (at < tokens_.size() && tokens_[at].is("[")) {
      const auto close = metal::closing_bracket(tokens_, at);
      elements *= quotient(at + 1, close);
      at = metal::next_significant(tokens_, close);
    }
    return at < tokens_.size() && tokens_[at].is_any({";", "="}) ? elements : 0;
  }

 private:
  /// A number, or one divided by others.
  std::int64_t quotient(std::size_t begin, std::size_t end) const {
    std::int64_t value = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (!tokens_[i].significant() || tokens_[i].is_any({"/", "(", ")"})) continue;
      value = value == 0 ? number(tokens_[i].text) : value / number(tokens_[i].text);
    }
    return value;
  }

  std::int64_t number(const std::string& word) const {
    for (const auto& one : outline_.named)
      if (one.name == word) return one.values.front();
    std::size_t digits = 0;
    const auto value = std::stoll(word, &digits);
    if (word.find_first_not_of("uUlL", digits) != word.npos)
      throw std::runtime_error(fmt::format("{} is no number", word));
    return value;
  }

  const std::vector<metal::Token>& tokens_;
  const metal::Outline& outline_;
};

}  // namespace

DeclaredMatrices declared_matrices(const KernelEntry& entry) {
  const auto source = entry.kernel_source();
  const auto text = metal::tokenize(metal::preprocess(source), source.path.string());
  const auto outline = metal::outline_of(text.str(), source);
  const auto live = metal::live_tokens(text, outline);
  const Extents extents(text, outline);
  DeclaredMatrices declared;
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const bool floats = text.tokens[i].is("simdgroup_float8x8");
    if (!live[i] || !(floats || text.tokens[i].is("simdgroup_half8x8"))) continue;
    (floats ? declared.floats : declared.halves) +=
        extents.elements_at(metal::next_significant(text.tokens, i));
  }
  return declared;
}

}  // namespace assay::tests
