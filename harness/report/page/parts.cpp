#include "harness/report/page/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/verify/judge.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::report::page {

std::string Ids::next(std::string_view prefix) { return fmt::format("{}-{}", prefix, ++count_); }

std::string_view class_of(Verdict verdict) {
  switch (assay::exit_status(verdict)) {
    case 0:
      return "pass";
    case 1:
      return "rejected";
    default:
      return "unjudged";
  }
}

Html badge(std::string_view text, std::string_view class_name) {
  const char* sign = class_name == "pass" ? "\u2713 " : class_name == "rejected" ? "\u2717 " : "? ";
  return tag("span", {{"class", fmt::format("badge {}", class_name)}},
             tag("span", {{"aria-hidden", "true"}}, sign) + text);
}

Html badge(Verdict verdict) { return badge(assay::name_of(verdict), class_of(verdict)); }

namespace {

Html data_of(const std::string& value, const std::string& pointer, const std::string& text) {
  Attributes attributes = {{"value", value}};
  if (!pointer.empty()) attributes.push_back({"data-json", pointer});
  return tag("data", attributes, text);
}

}  // namespace

Html figure_of(std::uint64_t number, const std::string& pointer) {
  return data_of(fmt::format("{}", number), pointer, grouped(number));
}

Html share_of(double share, const std::string& pointer) {
  return data_of(fmt::format("{}", share), pointer, percent(share));
}

Html seconds_of(double seconds, const std::string& pointer) {
  return data_of(fmt::format("{}", seconds), pointer, seconds_text(seconds));
}

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "under 0.1 %";
  if (share < 1 && share > 0.9995) return "over 99.9 %";
  const auto text = fmt::format("{:.1f}", share * 100);
  return fmt::format("{} %", text.ends_with(".0") ? text.substr(0, text.size() - 2) : text);
}

std::string seconds_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::lround(seconds));
  return whole < 3600 ? fmt::format("{} min {} s", whole / 60, whole % 60)
                      : fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : many);
}

Html scrolling(std::string_view label, const Html& content) {
  return tag("div",
             {{"class", "scroll"}, {"role", "region"}, {"aria-label", std::string(label)}, {"tabindex", "0"}},
             content);
}

Html table(const Html& caption, const std::vector<Column>& columns,
           const std::vector<std::vector<Html>>& rows, std::string_view class_name) {
  Html heads, body;
  for (const Column& column : columns) {
    Attributes attributes = {{"scope", "col"}};
    if (column.number) attributes.push_back({"class", "number"});
    heads += tag("th", attributes, column.head);
  }
  for (const auto& row : rows) {
    Html cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      Attributes attributes;
      if (i == 0) attributes.push_back({"scope", "row"});
      if (i < columns.size() && columns[i].number) attributes.push_back({"class", "number"});
      cells += tag(i == 0 ? "th" : "td", attributes, row[i]);
    }
    body += tag("tr", cells);
  }
  Attributes attributes;
  if (!class_name.empty()) attributes.push_back({"class", std::string(class_name)});
  return tag("table", attributes,
             tag("caption", caption) + tag("thead", tag("tr", heads)) + tag("tbody", body));
}

Html copied_line(std::string_view text, Ids& ids) {
  const auto id = ids.next("line");
  return tag("div", {{"class", "copy"}},
             tag("code", {{"id", id}}, text) +
                 tag("button", {{"type", "button"}, {"hidden", ""}, {"data-copy", id}}, "Copy"));
}

std::string short_place(const device::SourcePlace& place) {
  if (place.file.empty()) return "unknown place";
  const auto last = place.file.find_last_of('/');
  const auto before =
      last == std::string::npos || last == 0 ? std::string::npos : place.file.find_last_of('/', last - 1);
  const auto file = before == std::string::npos ? place.file : place.file.substr(before + 1);
  return assay::to_text(device::SourcePlace{file, place.line});
}

Html drawing(double width, double height, std::string_view title, std::string_view about, const Html& content,
             Ids& ids, bool stretched) {
  const auto name = ids.next("title"), words = ids.next("about");
  Attributes attributes = {{"xmlns", "http://www.w3.org/2000/svg"},
                           {"role", "img"},
                           {"viewBox", fmt::format("0 0 {} {}", coordinate(width), coordinate(height))},
                           {"width", stretched ? "100%" : coordinate(width)},
                           {"height", coordinate(height)},
                           {"aria-labelledby", fmt::format("{} {}", name, words)}};
  if (stretched) attributes.push_back({"preserveAspectRatio", "none"});
  return tag("svg", attributes,
             tag("title", {{"id", name}}, title) + tag("desc", {{"id", words}}, about) + content);
}

Html rectangle(double x, double y, double width, double height, std::string_view class_name) {
  return void_tag("rect", {{"x", coordinate(x)},
                           {"y", coordinate(y)},
                           {"width", coordinate(width)},
                           {"height", coordinate(height)},
                           {"class", std::string(class_name)}});
}

Html svg_text(double x, double y, std::string_view text, std::string_view class_name,
              std::string_view anchor) {
  Attributes attributes = {{"x", coordinate(x)}, {"y", coordinate(y)}};
  if (!class_name.empty()) attributes.push_back({"class", std::string(class_name)});
  if (anchor != "start") attributes.push_back({"text-anchor", std::string(anchor)});
  return tag("text", attributes, text);
}

Html swatch(std::string_view class_name) {
  return tag(
      "svg", {{"width", "14"}, {"height", "14"}, {"aria-hidden", "true"}, {"focusable", "false"}},
      void_tag("rect", {{"width", "14"}, {"height", "14"}, {"rx", "3"}, {"class", std::string(class_name)}}));
}

Html meter(double share, std::string_view class_name, double width) {
  const double part = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 1;
  return tag("svg",
             {{"class", "meter"},
              {"width", coordinate(width)},
              {"height", "10"},
              {"aria-hidden", "true"},
              {"focusable", "false"}},
             rectangle(0, 3, width, 4, "o0") +
                 rectangle(0, 1, part == 0 ? 0 : std::max(1.0, part * width), 8, class_name));
}

}  // namespace assay::report::page
