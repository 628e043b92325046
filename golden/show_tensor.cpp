#include "golden/show_tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/verify/numbers.hpp"

namespace assay::golden {
namespace {

constexpr std::size_t kLongestBar = 40;

/// "NaN 3, -0 2"; "none".
std::string special_text(const TensorStatistics& found) {
  const std::pair<const char*, std::uint64_t> counts[] = {
      {"NaN", found.nan},       {"infinity", found.infinity},   {"-infinity", found.minus_infinity},
      {"-0", found.minus_zero}, {"subnormal", found.subnormal}, {"zero", found.zero}};
  std::vector<std::string> words;
  for (const auto& [what, count] : counts) {
    if (count > 0) words.push_back(fmt::format("{} {}", what, grouped(count)));
  }
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

std::string histogram_text(DType dtype, const TensorStatistics& found) {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const Bin& one : found.values) counts.emplace_back(element_text(dtype, one.low), one.count);
  if (counts.empty()) {
    for (const Bin& one : found.bins)
      counts.emplace_back(fmt::format("[{:.9g}, {:.9g})", one.low, one.high), one.count);
  }
  return bars(counts);
}

}  // namespace

std::string element_text(DType dtype, double value) {
  switch (dtype) {
    case DType::f16:
      return fmt::format("{:.5g}", value);
    case DType::f32:
      return fmt::format("{}", static_cast<float>(value));
    default:
      return fmt::format("{}", value);
  }
}

std::string statistics_text(DType dtype, const TensorStatistics& found, const std::vector<double>& first) {
  if (found.elements == 0) return "  no elements\n";
  const auto text_of = [&](double value) { return element_text(dtype, value); };
  std::vector<std::string> firsts;
  std::transform(first.begin(), first.end(), std::back_inserter(firsts), text_of);
  const std::string range = found.finite == 0
                                ? "no finite value"
                                : fmt::format("{} to {}", text_of(found.least), text_of(found.largest));
  std::string text =
      fmt::format("  range      {}\n  special    {}\n  distinct   {}{}\n  first      {}{}\n", range,
                  special_text(found), found.more_distinct ? "more than " : "", grouped(found.distinct),
                  fmt::join(firsts, " "), first.size() < found.elements ? " ..." : "");
  const std::string histogram = histogram_text(dtype, found);
  return histogram.empty() ? text : text + "  histogram\n" + histogram;
}

std::string bars(const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  std::size_t label_width = 0, count_width = 0;
  std::uint64_t largest = 1;
  for (const auto& [label, count] : counts) {
    label_width = std::max(label_width, label.size());
    count_width = std::max(count_width, grouped(count).size());
    largest = std::max(largest, count);
  }
  std::string text;
  for (const auto& [label, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(largest);
    const auto length = static_cast<std::size_t>(share * kLongestBar);
    const std::string bar(count == 0 ? 0 : std::max<std::size_t>(length, 1), '#');
    text += fmt::format("    {:>{}}  {:>{}}{}{}\n", label, label_width, grouped(count), count_width,
                        bar.empty() ? "" : "  ", bar);
  }
  return text;
}

}  // namespace assay::golden
