#include "harness/report/page/diff_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace assay::report::page {
namespace {

/// Bytes that two lines share at their beginnings and at their ends.
struct Shared {
  std::size_t begin = 0, end = 0;
};

bool of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

// Whole words, so that a name is marked rather than the letters by which it differs.
Shared shared_by(const std::string& a, const std::string& b) {
  Shared same;
  const auto shorter = std::min(a.size(), b.size());
  while (same.begin < shorter && a[same.begin] == b[same.begin]) ++same.begin;
  while (same.begin > 0 && same.begin < std::max(a.size(), b.size()) && of_word(a[same.begin - 1]))
    --same.begin;
  while (same.end < shorter - std::min(shorter, same.begin) &&
         a[a.size() - 1 - same.end] == b[b.size() - 1 - same.end])
    ++same.end;
  while (same.end > 0 && of_word(a[a.size() - same.end])) --same.end;
  return same;
}

Html marked(const std::string& text, const Shared& same, const char* name) {
  const auto end = text.size() - same.end;
  if (same.begin >= end) return text;
  return Html(text.substr(0, same.begin)) + tag(name, text.substr(same.begin, end - same.begin)) +
         text.substr(end);
}

Html line_of(std::uint32_t number, const char* sign, const char* words, const Html& text, const char* name) {
  return tag("span", {{"class", fmt::format("l {}", name)}},
             tag("span", {{"class", "n"}}, fmt::format("{}", number)) +
                 tag("span", {{"class", "hidden"}}, words) + tag("span", {{"aria-hidden", "true"}}, sign) +
                 text);
}

}  // namespace

Html diff_view(const std::string& file, std::uint32_t line, const std::vector<std::string>& before,
               const std::vector<std::string>& after) {
  Html lines;
  const bool paired = before.size() == after.size();
  const auto line_at = [&](const std::vector<std::string>& of, std::size_t i, bool removed) {
    const Shared same = paired ? shared_by(before[i], after[i]) : Shared{};
    const auto number = static_cast<std::uint32_t>(line + i);
    lines +=
        removed
            ? line_of(number, "\u2212 ", "before: ", paired ? marked(of[i], same, "del") : Html(of[i]), "del")
            : line_of(number, "+ ", "after: ", paired ? marked(of[i], same, "ins") : Html(of[i]), "ins");
  };
  for (std::size_t i = 0; i < before.size(); ++i) line_at(before, i, true);
  for (std::size_t i = 0; i < after.size(); ++i) line_at(after, i, false);
  return tag("p", {{"class", "file"}}, fmt::format("{}:{}", file, line)) +
         tag("pre",
             {{"tabindex", "0"},
              {"role", "region"},
              {"aria-label", fmt::format("Change at {}:{}", file, line)}},
             lines);
}

}  // namespace assay::report::page
