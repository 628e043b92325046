#include "harness/report/styled.hpp"

#include <algorithm>

namespace assay::report {

Style style_of(Verdict verdict) { return style_of_status(exit_status(verdict)); }

Style style_of_status(int exit_status) {
  return exit_status == 0 ? Style::good : exit_status == 1 ? Style::bad : Style::unsure;
}

StyledText& StyledText::add(std::string_view text, Style style) {
  if (!text.empty()) pieces_.push_back({std::string(text), style});
  return *this;
}

StyledText& StyledText::add_headline(std::string_view text, Style style) {
  const auto end = std::min(text.find('\n'), text.size());
  return add(text.substr(0, end), style).add(text.substr(end));
}

StyledText& StyledText::add(const StyledText& other) {
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
  return *this;
}

StyledText& StyledText::without_blank_start() {
  while (!pieces_.empty()) {
    auto& first = pieces_.front().text;
    first.erase(0, first.find_first_not_of('\n'));
    if (!first.empty()) return *this;
    pieces_.erase(pieces_.begin());
  }
  return *this;
}

std::string StyledText::plain() const {
  std::string text;
  for (const auto& piece : pieces_) text += piece.text;
  return text;
}

}  // namespace assay::report
