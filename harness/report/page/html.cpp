#include "harness/report/page/html.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>

#include "harness/verify/printable.hpp"

namespace assay::report::page {
namespace {

// Ends the start tag of an element, as XML has it: SVG is markup of both kinds.
std::string start_of(std::string_view name, const Attributes& attributes) {
  std::string markup = fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) {
    markup += fmt::format(" {}", key);
    if (!value.empty()) markup += fmt::format("=\"{}\"", escaped(value));
  }
  return markup;
}

}  // namespace

Html::Html(std::string_view text) : markup_(escaped(text)) {}

Html::Html(std::initializer_list<Html> pieces) {
  for (const Html& one : pieces) markup_ += one.markup_;
}

Html& Html::operator+=(const Html& other) {
  markup_ += other.markup_;
  return *this;
}

Html Html::own(std::string_view markup) {
  Html html;
  html.markup_ = markup;
  return html;
}

Html operator+(Html first, const Html& second) { return first += second; }

Html tag(std::string_view name, const Attributes& attributes, const Html& content) {
  return Html::own(fmt::format("{}>{}</{}>", start_of(name, attributes), content.markup_, name));
}

Html void_tag(std::string_view name, const Attributes& attributes) {
  return Html::own(start_of(name, attributes) + "/>");
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text, std::numeric_limits<std::size_t>::max())) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string coordinate(double value) {
  auto text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace assay::report::page
