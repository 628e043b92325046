#include "harness/metal/branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "harness/metal/grammar.hpp"

namespace assay::metal {
namespace {

using metal::TokenRange;

class Conditions {
 public:
  Conditions(const metal::TokenText& text, const std::vector<bool>& live) : text_(text), g_(text, live) {}

  Instrumented run() {
    std::vector<TokenRange> found;
    for (std::size_t i = 0; i < g_.size(); ++i) {
      if (!g_.open(i) || !g_.in_body(i)) continue;
      std::optional<TokenRange> range;
      if (g_.is(i, "if") || g_.is(i, "while") || g_.is(i, "for")) range = asked(i);
      if (g_.is(i, "?")) range = ahead_of(i);
      if (range && is_question(*range)) found.push_back(g_.trimmed(*range));
    }
    // Of those that begin together the longest is the outermost.
    std::sort(found.begin(), found.end(), [](const TokenRange& a, const TokenRange& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    return written(found);
  }

 private:
  /// The condition in the head of a statement: behind the `;` of an `if` that has one, between those of a
  /// `for`.
  std::optional<TokenRange> asked(std::size_t word) const {
    const auto open = g_.next(word);
    if (!g_.is(open, "(")) return std::nullopt;  // if constexpr
    const auto close = metal::closing_bracket(g_.tokens(), open);
    if (close >= g_.size()) return std::nullopt;
    std::vector<std::size_t> stops;
    for (auto i = open + 1; i < close; ++i) {
      if (g_.is(i, "(") || g_.is(i, "[") || g_.is(i, "{")) i = metal::closing_bracket(g_.tokens(), i);
      if (g_.is(i, ";")) stops.push_back(i);
    }
    if (!g_.is(word, "for")) return TokenRange{stops.empty() ? open + 1 : stops.back() + 1, close};
    if (stops.size() != 2) return std::nullopt;
    return TokenRange{stops[0] + 1, stops[1]};
  }

  /// What the `?` asks: back to where its expression begins.
  std::optional<TokenRange> ahead_of(std::size_t question) const {
    static constexpr std::array<std::string_view, 18> kBefore = {
        ";",  ",",  "?",  ":",  "=",   "+=",  "-=",     "*=", "/=",
        "%=", "&=", "|=", "^=", "<<=", ">>=", "return", "{",  "}"};
    std::size_t depth = 0, angles = 0, begin = question;
    for (std::size_t i = question; i-- > 0;) {
      if (!g_[i].significant()) continue;
      if (g_.is(i, ")") || g_.is(i, "]")) {
        ++depth;
      } else if (g_.is(i, "(") || g_.is(i, "[")) {
        if (depth-- == 0) break;
      } else if (g_.angle(i) && depth == 0) {
        g_.is(i, ">") ? ++angles : --angles;
      } else if (depth == 0 && angles == 0 &&
                 std::any_of(kBefore.begin(), kBefore.end(), [&](auto word) { return g_.is(i, word); })) {
        break;
      }
      begin = i;
    }
    return TokenRange{begin, question};
  }

  bool is_question(TokenRange range) const {
    bool named = false;
    for (auto i = range.begin; i < range.end; ++i) {
      named |= g_[i].is_word() && !g_.is(i, "true") && !g_.is(i, "false");
      if (g_.is(i, "(") || g_.is(i, "[")) {
        const auto close = metal::closing_bracket(g_.tokens(), i);
        named |= std::any_of(g_.tokens().begin() + static_cast<std::ptrdiff_t>(i),
                             g_.tokens().begin() + static_cast<std::ptrdiff_t>(std::min(close, range.end)),
                             [](const metal::Token& token) { return token.is_word(); });
        i = close;
      }
      if (g_.is(i, "=")) return false;
    }
    return named;
  }

  Instrumented written(const std::vector<TokenRange>& found) const {
    std::map<std::size_t, std::string> ahead, behind;
    Instrumented made;
    for (std::size_t n = 0; n < found.size(); ++n) {
      const auto [begin, end] = found[n];
      const auto& first = g_[begin];
      made.conditions.push_back(
          {text_.files[first.file], first.line, metal::text_of(g_.tokens(), {begin, end})});
      ahead[begin] += fmt::format("assay_seen({}, (", n);
      behind[end - 1] += "))";
    }
    for (std::size_t i = 0; i < g_.size(); ++i) {
      if (const auto opened = ahead.find(i); opened != ahead.end()) made.text += opened->second;
      made.text += g_[i].text;
      if (const auto closed = behind.find(i); closed != behind.end()) made.text += closed->second;
    }
    return made;
  }

  const metal::TokenText& text_;
  Grammar g_;
};

}  // namespace

Instrumented instrument(const metal::TokenText& text, const std::vector<bool>& live) {
  return Conditions(text, live).run();
}

}  // namespace assay::metal
