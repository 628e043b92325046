#include "harness/report/page/claim_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/verify/numbers.hpp"

namespace assay::report::page {

std::string number_of(double value) {
  const bool whole = value >= 0 && value < 0x1p53 && value == std::floor(value);
  return whole ? grouped(static_cast<std::uint64_t>(value)) : number_text(value);
}

std::string figure_text(const Figure& figure) {
  if (!std::isfinite(figure.high)) return to_text(figure);
  return figure.low == figure.high ? number_of(figure.low)
                                   : fmt::format("{} to {}", number_of(figure.low), number_of(figure.high));
}

Html paired_bars(const std::optional<Figure>& measured, std::optional<double> claimed) {
  constexpr double kBarWidth = 140;
  const double counted = measured ? measured->high : 0;
  const double finite = std::isfinite(counted) ? counted : 0;
  const double most = std::max(finite, claimed.value_or(0));
  const bool holds = !claimed || (measured && measured->low == *claimed && measured->high == *claimed);
  const auto length = [&](double value) {
    if (!std::isfinite(value)) return kBarWidth;
    return most > 0 && value > 0 ? std::max(1.0, kBarWidth * value / most) : 0.0;
  };
  Html bars = rectangle(0, 1, length(counted), 6, holds ? "bar" : "bar-bad");
  if (claimed) bars += rectangle(0, 9, length(*claimed), 6, "bar-2");
  return tag("svg",
             {{"class", "meter"},
              {"width", coordinate(kBarWidth)},
              {"height", "16"},
              {"aria-hidden", "true"},
              {"focusable", "false"}},
             bars);
}

Html claim_table(const std::vector<ClaimResult>& claims, const std::string& pointer) {
  std::vector<std::vector<Html>> rows;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const ClaimResult& one = claims[i];
    rows.push_back({tag("code", one.name),
                    tag("data",
                        {{"value", fmt::format("{}", one.claimed)},
                         {"data-json", fmt::format("{}/{}/claimed", pointer, i)}},
                        number_of(one.claimed)),
                    one.measured ? figure_text(*one.measured) : "nothing",
                    paired_bars(one.measured, one.claimed),
                    badge(one.holds() ? "agrees" : "differs", one.holds() ? "pass" : "rejected")});
  }
  return table("Bars: the counted value, above the claimed value",
               {{"Counter"}, {"Claimed", true}, {"Counted", true}, {""}, {""}}, rows);
}

}  // namespace assay::report::page
