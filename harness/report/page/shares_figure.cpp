#include "harness/report/page/shares_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/verify/numbers.hpp"

namespace assay::report::page {
namespace {

constexpr double kBarsWidth = 420, kBarsHeight = 170, kBarsBase = 138, kBarsTop = 22, kBarsLeft = 8;

std::string range_of(std::size_t bin) { return fmt::format("{} to {} %", 10 * bin, 10 * (bin + 1)); }

Html histogram(const ErrorShares& shares, Ids& ids) {
  const auto most = std::max<std::uint64_t>(1, *std::max_element(shares.bins.begin(), shares.bins.end()));
  const double step = (kBarsWidth - 2 * kBarsLeft) / static_cast<double>(ErrorShares::kBins);
  Html bars;
  std::string about = "Elements by error, as a share of what is allowed.";
  for (std::size_t i = 0; i < ErrorShares::kBins; ++i) {
    const auto count = shares.bins[i];
    const double height =
        count == 0
            ? 0
            : std::max(1.5, (kBarsBase - kBarsTop) * static_cast<double>(count) / static_cast<double>(most));
    const double x = kBarsLeft + static_cast<double>(i) * step;
    bars += rectangle(x + 1.5, kBarsBase - height, step - 3, height, "bar");
    if (count > 0)
      bars += svg_text(x + step / 2, kBarsBase - height - 5,
                       percent(static_cast<double>(count) / static_cast<double>(shares.shared())),
                       "small-text", "middle");
    bars += svg_text(x, kBarsBase + 15, fmt::format("{}", 10 * i), "faint-text small-text",
                     i == 0 ? "start" : "middle");
    about += fmt::format(" {}: {}.", range_of(i), grouped(count));
  }
  bars += svg_text(kBarsWidth - kBarsLeft, kBarsBase + 15, "100 %", "faint-text small-text", "end");
  bars += svg_text(kBarsWidth / 2, kBarsHeight - 3, "error, as a share of what is allowed",
                   "faint-text small-text", "middle");
  bars += void_tag("line", {{"x1", coordinate(kBarsLeft)},
                            {"y1", coordinate(kBarsBase)},
                            {"x2", coordinate(kBarsWidth - kBarsLeft)},
                            {"y2", coordinate(kBarsBase)},
                            {"class", "axis"}});
  return drawing(kBarsWidth, kBarsHeight, "Histogram of errors", about, bars, ids);
}

Html numbers_of(const ErrorShares& shares, const std::string& pointer) {
  std::vector<std::vector<Html>> rows;
  for (std::size_t i = 0; i < ErrorShares::kBins; ++i)
    rows.push_back({range_of(i), figure_of(shares.bins[i], fmt::format("{}/bins/{}", pointer, i))});
  return tag(
      "details", {{"class", "fold"}},
      tag("summary", "The histogram in numbers") +
          table("Elements by error, as a share of what is allowed", {{"Share"}, {"Elements", true}}, rows));
}

}  // namespace

Html shares_figure(const ErrorShares& shares, const std::string& pointer, Ids& ids) {
  if (shares.elements == 0) return {};
  Html words = {figure_of(shares.elements, pointer + "/elements"), " elements were compared. For ",
                figure_of(shares.single, pointer + "/single"),
                " of them only one value was right, and they hold it."};
  if (shares.open > 0)
    words += Html{" For ", figure_of(shares.open, pointer + "/open"),
                  ", NaN, any value or one of several ranges was right."};
  if (shares.shared() == 0) return tag("p", words);
  words += Html{" Of the other ",
                grouped(shares.shared()),
                ", the worst is off by ",
                tag("b", share_of(shares.worst, pointer + "/worst")),
                " of what is allowed (in ",
                shares.worst_tensor,
                ")."};
  return tag("p", words) + tag("figure", histogram(shares, ids)) + numbers_of(shares, pointer);
}

}  // namespace assay::report::page
