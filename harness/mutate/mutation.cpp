#include "harness/mutate/mutation.hpp"

namespace assay::mutate {

std::string apply(const metal::TokenText& text, const Mutation& mutation) {
  std::string all;
  auto edit = mutation.edits.begin();
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const auto& token = text.tokens[i];
    if (edit != mutation.edits.end() && i >= edit->range.begin) {
      if (i == edit->range.begin) all += edit->with;
      const bool marker = token.kind == metal::TokenKind::directive;
      if (!token.significant() && (marker || token.text.find('\n') != token.text.npos)) all += token.text;
      if (i + 1 == edit->range.end) ++edit;
    } else {
      all += token.text;
    }
  }
  return all;
}

}  // namespace assay::mutate
