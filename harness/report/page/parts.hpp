// What all pages are put together from: verdicts, figures, tables, lines to copy.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "assay/verdict.hpp"
#include "harness/report/page/html.hpp"

namespace assay::report::page {

/// Names for elements, each once on a page.
class Ids {
 public:
  std::string next(std::string_view prefix);

 private:
  std::uint64_t count_ = 0;
};

/// "pass", "rejected" or "unjudged": the class of what is said of a verdict.
std::string_view class_of(Verdict verdict);
/// Its name with a sign before it, so that its colour is never all that tells it.
Html badge(Verdict verdict);
Html badge(std::string_view text, std::string_view class_name);

/// A number with its place in the JSON report (a JSON pointer), which tests hold against it.
Html figure_of(std::uint64_t number, const std::string& pointer);
/// A share from 0 to 1 as a percentage: "83.1 %"; "under 0.1 %".
Html share_of(double share, const std::string& pointer);
Html seconds_of(double seconds, const std::string& pointer);
/// Without a place: it is worked out from others.
std::string percent(double share);
std::string seconds_text(double seconds);

/// "1 kernel", "29 kernels", "1,200 cases".
std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

/// A column: its head, and whether it holds numbers.
struct Column {
  std::string_view head;
  bool number = false;
};
/// A table that scrolls by itself where it is wider than the page. The first cell of each row is its head.
Html table(const Html& caption, const std::vector<Column>& columns,
           const std::vector<std::vector<Html>>& rows, std::string_view class_name = "");
/// A region that can be scrolled with the keyboard.
Html scrolling(std::string_view label, const Html& content);

/// A line with a button that copies it.
Html copied_line(std::string_view text, Ids& ids);

/// "include/fused.h:25", of the last two parts of the path.
std::string short_place(const device::SourcePlace& place);

/// A drawing of that size, in its own units. What it shows is said in `title` and `about` for those who do
/// not see it. `stretched`: as wide as the page.
Html drawing(double width, double height, std::string_view title, std::string_view about, const Html& content,
             Ids& ids, bool stretched = false);
Html rectangle(double x, double y, double width, double height, std::string_view class_name);
Html svg_text(double x, double y, std::string_view text, std::string_view class_name = "",
              std::string_view anchor = "start");

/// A small square of a colour, for legends.
Html swatch(std::string_view class_name);

/// A horizontal bar of that share of the whole, for tables that say the number beside it.
Html meter(double share, std::string_view class_name = "bar", double width = 90);

}  // namespace assay::report::page
