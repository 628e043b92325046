#include "harness/metal/text/branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/metal/text/grammar.hpp"

namespace assay::metal {
namespace {

class Conditions {
 public:
  Conditions(const TokenText& text, const std::vector<bool>& live, const Syntax& syntax)
      : text_(text), g_(text, live, syntax) {}

  Instrumented run() {
    std::vector<TokenRange> found;
    for (const TokenRange& one : g_.conditions())
      if (g_.open(one.begin) && g_.in_body(one.begin) && is_question(one)) found.push_back(one);
    // Of those that begin together the longest is the outermost.
    std::sort(found.begin(), found.end(), [](const TokenRange& a, const TokenRange& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    return written(found);
  }

 private:
  bool is_question(TokenRange range) const {
    bool named = false;
    for (auto i = range.begin; i < range.end; ++i) {
      named |= g_[i].is_word() && !g_.is(i, "true") && !g_.is(i, "false");
      if (g_.is(i, "(") || g_.is(i, "[")) {
        const auto close = closing_bracket(g_.tokens(), i);
        named |= std::any_of(g_.tokens().begin() + static_cast<std::ptrdiff_t>(i),
                             g_.tokens().begin() + static_cast<std::ptrdiff_t>(std::min(close, range.end)),
                             [](const Token& token) { return token.is_word(); });
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
      made.conditions.push_back({text_.files[first.file], first.line, text_of(g_.tokens(), {begin, end})});
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

  const TokenText& text_;
  Grammar g_;
};

}  // namespace

Instrumented instrument(const TokenText& text, const std::vector<bool>& live, const Syntax& syntax) {
  return Conditions(text, live, syntax).run();
}

}  // namespace assay::metal
