#include "reference/trellis_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "reference/half.hpp"
#include "reference/shape.hpp"

namespace assay::reference {
namespace {

/// Levels are written with few digits: 0.9995 stands for 1.
constexpr double kNormalisedWithin = 1e-3;
/// Two to the tenth: the groups of one layer differ by far less.
constexpr double kMostTimesMedian = 1024;

/// Of the finite values; 0 where there are none.
double largest_magnitude(std::span<const float> values) {
  double largest = 0;
  for (const float value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

/// The same.
double median_magnitude(std::span<const float> values) {
  std::vector<float> magnitudes;
  for (const float value : values) {
    if (std::isfinite(value)) magnitudes.push_back(std::abs(value));
  }
  if (magnitudes.empty()) return 0;
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return *middle;
}

/// One line for all values that `is_odd` finds: the first of them, what `why` says of it, how many more.
template <typename IsOdd, typename Why>
void report(const char* field, std::span<const float> values, IsOdd is_odd, Why why,
            std::vector<std::string>& lines) {
  const auto first = std::find_if(values.begin(), values.end(), is_odd);
  if (first == values.end()) return;
  const auto more = std::count_if(first + 1, values.end(), is_odd);
  lines.push_back(fmt::format("{}: element {} is {:.6g}: {}{}", field, first - values.begin(), *first,
                              why(*first), more == 0 ? "" : fmt::format(" (and {} more)", more)));
}

void report_indices_past_the_grid(const TrellisWeights& weights, std::vector<std::string>& lines) {
  if (weights.grid.size() >= std::size_t{1} << weights.bits) return;
  const auto indices = unpack_trellis(weights.packed_indices, weights.K, weights.N, weights.bits);
  const auto past =
      std::count_if(indices.begin(), indices.end(), [&](auto index) { return index >= weights.grid.size(); });
  if (past == 0) return;
  lines.push_back(
      fmt::format("packed_indices: {} of {} indices are past the grid of {} levels: they read level 0", past,
                  indices.size(), weights.grid.size()));
}

void report_what_the_host_refuses(const TrellisWeights& weights, std::vector<std::string>& lines) {
  const auto is_spoilt = [](float value) { return !std::isfinite(value); };
  const auto not_finite = [](float) { return "not finite"; };
  report("grid", weights.grid, is_spoilt, not_finite, lines);
  report("scales", weights.scales, is_spoilt, not_finite, lines);
  const auto is_no_sign = [](float value) { return !(std::abs(value) == 1); };
  const auto no_sign = [](float) { return "neither +1 nor -1"; };
  report("su", weights.su, is_no_sign, no_sign, lines);
  report("sv", weights.sv, is_no_sign, no_sign, lines);
}

}  // namespace

TrellisShape trellis_shape(std::size_t K, std::size_t N, unsigned bits) {
  return {ceil_div(K, kTrellisTile), ceil_div(N, kTrellisTile), trellis_tile_bytes(bits)};
}

bool tiles_exchanged(const TrellisShape& stored, const TrellisShape& asked) {
  return !(stored == asked) && TrellisShape{stored.tiles_n, stored.tiles_k, stored.tile_bytes} == asked;
}

void check_stored_shape(const TrellisWeights& weights, const TrellisShape& stored) {
  const TrellisShape right = trellis_shape(weights.K, weights.N, weights.bits);
  if (stored == right) return;
  throw std::invalid_argument(fmt::format(
      "packed_indices: has {} x {} tiles of {} bytes, must have {} x {} of {} (ceil(K/16) x "
      "ceil(N/16), 32 bits){}",
      stored.tiles_k, stored.tiles_n, stored.tile_bytes, right.tiles_k, right.tiles_n, right.tile_bytes,
      tiles_exchanged(stored, right) ? ": the counts of tiles are exchanged" : ""));
}

std::vector<std::string> trellis_warnings(const TrellisWeights& weights) {
  std::vector<std::string> lines;
  report_indices_past_the_grid(weights, lines);
  report_what_the_host_refuses(weights, lines);
  const double largest = largest_magnitude(weights.grid);
  if (std::abs(largest - 1) > kNormalisedWithin) {
    lines.push_back(fmt::format(
        "grid: is not normalised: its largest magnitude is {:.6g}, that of normalised levels 1", largest));
  }
  const auto as_half = [&](float scale) {
    return half_to_double(half_from_double(std::abs(static_cast<double>(scale)) * largest));
  };
  report(
      "scales", weights.scales,
      [&](float scale) { return std::isfinite(scale) && std::isinf(as_half(scale)); },
      [&](float) { return "its largest weight is above 65504, infinite as a half"; }, lines);
  report(
      "scales", weights.scales,
      [&](float scale) { return std::isfinite(scale) && scale != 0 && largest != 0 && as_half(scale) == 0; },
      [&](float) { return "all of its weights are 0 as halves"; }, lines);
  const double median = median_magnitude(weights.scales);
  report(
      "scales", weights.scales,
      [&](float scale) {
        return std::isfinite(scale) && median > 0 &&
               std::abs(static_cast<double>(scale)) > kMostTimesMedian * median;
      },
      [&](float scale) {
        return fmt::format("{:.6g} times the median magnitude",
                           std::abs(static_cast<double>(scale)) / median);
      },
      lines);
  return lines;
}

}  // namespace assay::reference
