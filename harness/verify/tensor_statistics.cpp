#include "harness/verify/tensor_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "harness/verify/compare.hpp"

namespace assay {
namespace {

constexpr std::size_t kPatternBytes = 2;  // types of so many bytes have few enough patterns to count each

/// 0 where a type has no subnormals.
double least_normal_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 0x1p-14;
    case DType::f32:
    case DType::bf16:
      return std::numeric_limits<float>::min();
    case DType::f64:
      return std::numeric_limits<double>::min();
    default:
      return 0;
  }
}

constexpr int kLeastExponent = -1074;  // of a double

/// The elements of these bytes, one after the other.
template <class Take>
void for_each(DType dtype, std::span<const std::byte> elements, Take take) {
  Tensor one{"", dtype, {1}, std::vector<std::byte>(size_of(dtype))};
  for (std::size_t at = 0; at + one.data.size() <= elements.size(); at += one.data.size()) {
    std::memcpy(one.data.data(), elements.data() + at, one.data.size());
    take(decode(one, 0));
  }
}

template <class T>
void count_patterns(std::span<const std::byte> elements, std::vector<std::uint64_t>& patterns) {
  for (std::size_t at = 0; at + sizeof(T) <= elements.size(); at += sizeof(T)) {
    T pattern;
    std::memcpy(&pattern, elements.data() + at, sizeof pattern);
    ++patterns[pattern];
  }
}

}  // namespace

StatisticsGatherer::Sums::Sums(DType dtype)
    : least_normal(least_normal_of(dtype)), histogram(is_integer(dtype) ? 0 : kLeastExponent) {}

void StatisticsGatherer::Sums::add(double value, std::uint64_t count) {
  found.elements += count;
  if (std::isnan(value)) {
    found.nan += count;
    return;
  }
  if (value == 0) {
    (std::signbit(value) ? found.minus_zero : found.zero) += count;
    value = 0;  // of either sign from here on
  } else if (std::fabs(value) < least_normal) {
    found.subnormal += count;
  }
  if (!found.more_distinct) {
    const auto known = distinct.find(value);
    if (known != distinct.end()) {
      known->second += count;
    } else if (distinct.size() < TensorStatistics::kMostDistinct) {
      distinct.emplace(value, count);
    } else {
      found.more_distinct = true;
    }
  }
  if (std::isinf(value)) {
    (value > 0 ? found.infinity : found.minus_infinity) += count;
    return;
  }
  found.least = found.finite == 0 ? value : std::min(found.least, value);
  found.largest = found.finite == 0 ? value : std::max(found.largest, value);
  found.finite += count;
  histogram.add(value, count);
}

StatisticsGatherer::StatisticsGatherer(DType dtype) : dtype_(dtype), sums_(dtype) {}

void StatisticsGatherer::add(std::span<const std::byte> elements) {
  const std::size_t size = size_of(dtype_), patterns = std::size_t{1} << (8 * std::min(size, kPatternBytes));
  if (size > kPatternBytes || elements.size() / size < patterns) {
    for_each(dtype_, elements, [&](double value) { sums_.add(value, 1); });
    return;
  }
  patterns_.resize(patterns);
  if (size == 1) {
    count_patterns<std::uint8_t>(elements, patterns_);
  } else {
    count_patterns<std::uint16_t>(elements, patterns_);
  }
}

TensorStatistics StatisticsGatherer::statistics() const {
  Sums sums = sums_;
  Tensor one{"", dtype_, {1}, std::vector<std::byte>(size_of(dtype_))};
  for (std::size_t pattern = 0; pattern < patterns_.size(); ++pattern) {
    if (patterns_[pattern] == 0) continue;
    std::memcpy(one.data.data(), &pattern, one.data.size());
    sums.add(decode(one, 0), patterns_[pattern]);
  }
  TensorStatistics found = std::move(sums.found);
  found.distinct = sums.distinct.size();
  found.bins = sums.histogram.bins();
  if (found.more_distinct || found.distinct > TensorStatistics::kFewDistinct) return found;
  for (const auto& [value, count] : sums.distinct) found.values.push_back({value, value, count});
  std::sort(found.values.begin(), found.values.end(),
            [](const Bin& a, const Bin& b) { return a.low < b.low; });
  return found;
}

TensorStatistics statistics_of(const Tensor& tensor) {
  StatisticsGatherer gatherer(tensor.dtype);
  gatherer.add(tensor.data);
  return gatherer.statistics();
}

}  // namespace assay
