#include "harness/verify/near.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace assay {
namespace {

/// Longer words are nobody's names.
constexpr std::size_t kLongest = 200;

/// How many letters a is away from b.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kLongest) return "";
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& one : known) {
    if (one.size() > kLongest) continue;
    const std::size_t away = distance(word, one);
    if (away < least && away < one.size()) least = away, best = one;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto best = nearest(word, known);
  return best.empty() ? "" : fmt::format("; did you mean `{}`?", best);
}

}  // namespace assay
