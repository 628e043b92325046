#include "kernels/host/trellis_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "reference/half.hpp"
#include "reference/shape.hpp"

namespace assay::host {
namespace {

/// Levels are written with few digits: 0.9995 stands for 1.
constexpr double kNormalisedWithin = 1e-3;
/// Two to the tenth: the groups of one layer differ by far less.
constexpr double kMostTimesMedian = 1024;

double largest_magnitude(std::span<const float> values) {
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(static_cast<double>(value)));
  return largest;
}

double median_magnitude(std::span<const float> values) {
  std::vector<float> magnitudes(values.begin(), values.end());
  for (float& magnitude : magnitudes) magnitude = std::abs(magnitude);
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return *middle;
}

/// One line for all scales that `is_odd` finds: the first of them, what `why` says of it, how many more.
template <typename IsOdd, typename Why>
void report(std::span<const float> scales, IsOdd is_odd, Why why, std::vector<std::string>& lines) {
  const auto first = std::find_if(scales.begin(), scales.end(), is_odd);
  if (first == scales.end()) return;
  const auto more = std::count_if(first + 1, scales.end(), is_odd);
  lines.push_back(fmt::format("scales: element {} is {:.6g}: {}{}", first - scales.begin(), *first,
                              why(*first), more == 0 ? "" : fmt::format(" (and {} more)", more)));
}

}  // namespace

void check_stored_shape(const reference::TrellisWeights& weights, const TrellisShape& stored) {
  const TrellisShape right = {reference::ceil_div(weights.K, reference::kTrellisTile),
                              reference::ceil_div(weights.N, reference::kTrellisTile),
                              reference::trellis_tile_bytes(weights.bits)};
  if (stored.tiles_k == right.tiles_k && stored.tiles_n == right.tiles_n &&
      stored.tile_bytes == right.tile_bytes) {
    return;
  }
  const bool exchanged = stored.tiles_k == right.tiles_n && stored.tiles_n == right.tiles_k &&
                         stored.tile_bytes == right.tile_bytes;
  throw std::invalid_argument(
      fmt::format("packed_indices: has {} x {} tiles of {} bytes, must have {} x {} of {} (ceil(K/16) x "
                  "ceil(N/16), 32 bits){}",
                  stored.tiles_k, stored.tiles_n, stored.tile_bytes, right.tiles_k, right.tiles_n,
                  right.tile_bytes, exchanged ? ": the counts of tiles are exchanged" : ""));
}

std::vector<std::string> trellis_warnings(const reference::TrellisWeights& weights) {
  std::vector<std::string> lines;
  const double largest = largest_magnitude(weights.grid);
  if (std::abs(largest - 1) > kNormalisedWithin) {
    lines.push_back(fmt::format(
        "grid: is not normalised: its largest magnitude is {:.6g}, that of normalised levels 1", largest));
  }
  const auto as_half = [&](float scale) {
    return reference::half_to_double(
        reference::half_from_double(std::abs(static_cast<double>(scale)) * largest));
  };
  report(
      weights.scales, [&](float scale) { return std::isinf(as_half(scale)); },
      [&](float) { return "its largest weight is above 65504, infinite as a half"; }, lines);
  report(
      weights.scales, [&](float scale) { return scale != 0 && largest != 0 && as_half(scale) == 0; },
      [&](float) { return "all of its weights are 0 as halves"; }, lines);
  const double median = median_magnitude(weights.scales);
  report(
      weights.scales,
      [&](float scale) {
        return median > 0 && std::abs(static_cast<double>(scale)) > kMostTimesMedian * median;
      },
      [&](float scale) {
        return fmt::format("{:.6g} times the median magnitude",
                           std::abs(static_cast<double>(scale)) / median);
      },
      lines);
  return lines;
}

}  // namespace assay::host
