#include "harness/metal/leaving.hpp"

namespace assay::metal {

void note_leaving(TokenText& text, std::size_t body) {
  auto& tokens = text.tokens;
  const std::size_t close = closing_bracket(tokens, body);
  if (close >= tokens.size()) return;
  // A function of a class within the kernel notes its returns too, but none is the last that a thread notes.
  for (std::size_t i = body; i < close; ++i) {
    if (!tokens[i].is("return")) continue;
    const std::size_t next = next_significant(tokens, i);
    if (next < close && tokens[next].is(";")) tokens[i].after.insert(0, " assay_leave()");
  }
  tokens[close - 1].after += " assay_leave();";
}

}  // namespace assay::metal
