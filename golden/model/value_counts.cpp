#include "golden/model/value_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

namespace assay::golden {
namespace {

constexpr std::uint32_t kSign = 0x8000, kLargestFinite = 0x7F7F;
constexpr int kLloydRounds = 400, kLineRounds = 12;
constexpr double kLeastGain = 1e-6;
constexpr int kLineLevels = 16, kRanges = 28;
constexpr double kNarrower = 0.84089641525371454;  // 2^(-1/4): 28 of them are 1/128

double value_of_bf16(std::uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits << 16)); }

/// Calls of(level, value) for each value, ascending, with the number of its nearest level.
template <class F>
void for_nearest(std::span<const Counted> values, std::span<const double> levels, F of) {
  std::size_t level = 0;
  for (const Counted& one : values) {
    while (level + 1 < levels.size() && one.value > (levels[level] + levels[level + 1]) / 2) ++level;
    of(level, one);
  }
}

/// Least squares: the sums of one fit of value = step * symbol + first.
struct LineSums {
  double count = 0, s = 0, ss = 0, v = 0, sv = 0;

  void add(std::size_t symbol, const Counted& one) {
    const auto n = static_cast<double>(one.count), x = static_cast<double>(symbol);
    count += n;
    s += n * x;
    ss += n * x * x;
    v += n * one.value;
    sv += n * x * one.value;
  }
  /// As it was where one symbol has all values.
  Line line(const Line& before) const {
    const double spread = count * ss - s * s;
    if (!(spread > 0)) return before;
    const double step = (count * sv - s * v) / spread;
    return step > 0 ? Line{step, (v - step * s) / count} : before;
  }
};

std::vector<double> levels_of(const Line& line) {
  std::vector<double> levels;
  levels.reserve(kLineLevels);
  for (int symbol = 0; symbol < kLineLevels; ++symbol) levels.push_back(symbol * line.step + line.first);
  return levels;
}

}  // namespace

void ValueCounts::add(float value) {
  lowest_ = std::min(lowest_, value);
  highest_ = std::max(highest_, value);
  const std::uint32_t rounded = (std::bit_cast<std::uint32_t>(value) + kSign) >> 16;
  const std::uint32_t largest = (rounded & kSign) | kLargestFinite;
  ++counts_[std::min(rounded, largest)];
}

void ValueCounts::add(const ValueCounts& other) {
  lowest_ = std::min(lowest_, other.lowest_);
  highest_ = std::max(highest_, other.highest_);
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

std::vector<Counted> ValueCounts::ascending() const {
  std::vector<Counted> found;
  for (std::uint32_t bits = kSign | kLargestFinite; bits > kSign; --bits) {
    if (counts_[bits] != 0) found.push_back({value_of_bf16(bits), counts_[bits]});
  }
  if (counts_[0] + counts_[kSign] != 0) found.push_back({0, counts_[0] + counts_[kSign]});
  for (std::uint32_t bits = 1; bits <= kLargestFinite; ++bits) {
    if (counts_[bits] != 0) found.push_back({value_of_bf16(bits), counts_[bits]});
  }
  return found;
}

double squared_distance(std::span<const Counted> values, std::span<const double> levels) {
  double sum = 0;
  for_nearest(values, levels, [&](std::size_t level, const Counted& one) {
    const double distance = one.value - levels[level];
    sum += static_cast<double>(one.count) * (distance * distance);
  });
  return sum;
}

void lloyd_round(std::span<const Counted> values, std::vector<double>& levels) {
  std::vector<double> sums(levels.size()), counts(levels.size());
  for_nearest(values, levels, [&](std::size_t level, const Counted& one) {
    sums[level] += static_cast<double>(one.count) * one.value;
    counts[level] += static_cast<double>(one.count);
  });
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (counts[i] > 0) levels[i] = sums[i] / counts[i];
  }
}

std::vector<double> fit_levels(std::span<const Counted> values, std::size_t count) {
  std::vector<double> levels;
  std::uint64_t total = 0;
  for (const Counted& one : values) total += one.count;
  if (total == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      levels.push_back((2.0 * static_cast<double>(i) + 1) / static_cast<double>(count) - 1);
    }
    return levels;
  }
  std::uint64_t below = 0;
  for (const Counted& one : values) {
    below += one.count;
    // Level i is the value below which (2 i + 1) of 2 count parts lie.
    while (levels.size() < count && (2 * levels.size() + 1) * total <= 2 * count * below)
      levels.push_back(one.value);
  }
  double error = squared_distance(values, levels);
  for (int round = 0; round < kLloydRounds; ++round) {
    lloyd_round(values, levels);
    const double now = squared_distance(values, levels);
    if (!(now < error * (1 - kLeastGain))) break;
    error = now;
  }
  return levels;
}

Line fit_line(std::span<const Counted> values) {
  if (values.empty()) return {};
  const double low = values.front().value, high = values.back().value;
  LineSums all;
  for (const Counted& one : values) all.add(0, one);
  const double mean = all.v / all.count;
  if (!(low < high)) return {1, low};
  Line best;
  double least = std::numeric_limits<double>::infinity();
  double ratio = 1;
  for (int range = 0; range < kRanges; ++range, ratio *= kNarrower) {
    Line line = {ratio * (high - low) / (kLineLevels - 1), mean + ratio * (low - mean)};
    for (int round = 0; round < kLineRounds; ++round) {
      LineSums sums;
      for_nearest(values, levels_of(line), [&](std::size_t s, const Counted& one) { sums.add(s, one); });
      line = sums.line(line);
    }
    const double error = squared_distance(values, levels_of(line));
    if (error < least) {
      least = error;
      best = line;
    }
  }
  return best;
}

}  // namespace assay::golden
