#include "harness/verify/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

/// With widths of 2^-5 of the distance of two numbers or less, more than 16 bins lie between them.
constexpr int kTooNarrow = 5;

std::int64_t half_of(std::int64_t index) { return index >> 1; }  // rounds down, which is the wider bin

}  // namespace

double Histogram::index_of(double value) const { return std::floor(std::ldexp(value, -exponent_)); }

void Histogram::choose_width(double one, double other) {
  const double apart = one - other;  // may be more than any double
  const int distance = std::isinf(apart) ? std::ilogb(one / 2 - other / 2) + 1 : std::ilogb(apart);
  exponent_ = std::max(least_exponent_, distance - kTooNarrow);
  const auto between = [&] { return std::fabs(index_of(one) - index_of(other)); };
  while (!(between() < static_cast<double>(kMostBins))) ++exponent_;
  has_width_ = true;
  first_ = last_ = static_cast<std::int64_t>(index_of(one));
}

void Histogram::widen() {
  std::array<std::uint64_t, kMostBins> merged{};
  const std::int64_t first = half_of(first_);
  for (std::int64_t i = first_; i <= last_; ++i)
    merged[static_cast<std::size_t>(half_of(i) - first)] += counts_[static_cast<std::size_t>(i - first_)];
  counts_ = merged;
  first_ = first;
  last_ = half_of(last_);
  ++exponent_;
}

void Histogram::count_in(double index, std::uint64_t count) {
  const auto at = static_cast<std::int64_t>(index);
  if (at < first_) {
    const auto by = static_cast<std::ptrdiff_t>(first_ - at);
    std::rotate(counts_.begin(), counts_.end() - by, counts_.end());  // what comes to the front is empty
    first_ = at;
  }
  last_ = std::max(last_, at);
  counts_[static_cast<std::size_t>(at - first_)] += count;
}

void Histogram::add(double value, std::uint64_t count) {
  if (empty_ || (!has_width_ && value == only_)) {
    only_ = value;
    only_count_ += count;
    empty_ = false;
    return;
  }
  if (!has_width_) {
    choose_width(only_, value);
    count_in(index_of(only_), only_count_);
  }
  constexpr auto kMost = static_cast<double>(kMostBins);
  while (!(std::max(index_of(value), static_cast<double>(last_)) -
               std::min(index_of(value), static_cast<double>(first_)) <
           kMost)) {
    widen();
  }
  count_in(index_of(value), count);
}

std::vector<Bin> Histogram::bins() const {
  if (empty_) return {};
  if (!has_width_) return {{only_, only_, only_count_}};
  std::vector<Bin> bins;
  for (std::int64_t i = first_; i <= last_; ++i) {
    bins.push_back({std::ldexp(static_cast<double>(i), exponent_),
                    std::ldexp(static_cast<double>(i) + 1, exponent_),
                    counts_[static_cast<std::size_t>(i - first_)]});
  }
  return bins;
}

}  // namespace assay
