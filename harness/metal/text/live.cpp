#include "harness/metal/text/live.hpp"

#include "harness/device/source_text.hpp"

namespace assay::metal {

std::vector<bool> live_tokens(const TokenText& text, const Outline& outline) {
  std::vector<bool> live(text.tokens.size(), false);
  std::size_t i = 0, at = 0;
  for (const auto& [begin, end] : outline.used) {
    for (; i < live.size() && at < end; at += text.tokens[i++].text.size())
      live[i] = at >= begin && text.files[text.tokens[i].file] != device::kMadeText;
  }
  return live;
}

}  // namespace assay::metal
