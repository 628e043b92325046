// HTML that cannot hold what it was not meant to: text becomes markup through these functions alone, and all
// of it is escaped on the way. Kernel texts, names and messages come from strangers.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::report::page {

/// A piece of a page. Text turns into one by itself, escaped.
class Html {
 public:
  Html() = default;
  Html(std::string_view text);
  Html(const std::string& text) : Html(std::string_view(text)) {}
  Html(const char* text) : Html(std::string_view(text)) {}
  Html(std::initializer_list<Html> pieces);

  Html& operator+=(const Html& other);
  const std::string& markup() const { return markup_; }
  bool empty() const { return markup_.empty(); }

  /// Text of this program's own that is markup already: a style sheet, a script.
  static Html own(std::string_view markup);

 private:
  friend Html tag(std::string_view, const std::vector<std::pair<std::string_view, std::string>>&,
                  const Html&);
  std::string markup_;
};

Html operator+(Html first, const Html& second);

/// Names and values; a value is escaped. An attribute that is there and has no value has an empty one.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;

/// An element. `name` and the names of attributes are this program's own.
Html tag(std::string_view name, const Attributes& attributes, const Html& content);
inline Html tag(std::string_view name, const Html& content) { return tag(name, {}, content); }
/// One without content or end: br, meta, and those of SVG that have none.
Html void_tag(std::string_view name, const Attributes& attributes = {});

/// Text as it may stand in HTML, between tags and in quotes: no markup, no control characters, none that turn
/// the direction of writing, no bytes that are no UTF-8.
std::string escaped(std::string_view text);

/// A coordinate of a drawing, in as few digits as it takes.
std::string coordinate(double value);

}  // namespace assay::report::page
