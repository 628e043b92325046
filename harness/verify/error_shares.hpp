// How much of what they may be off right results are off: the worst of them, and a histogram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace assay {

/// Of the elements of right results, by how many values are right for each. Where several are, its share is
/// how far it lies from the exact result, over how far the farthest right value on that side lies from it:
/// from 0 to 1. Both are values of the output's own type, so its last rounding is part of the share.
struct ErrorShares {
  static constexpr std::size_t kBins = 10;

  std::uint64_t elements = 0;  ///< all
  std::uint64_t single = 0;    ///< of those: one value was right, and it was that
  std::uint64_t open = 0;      ///< of those: NaN, any value, or one of several stretches was right
  std::array<std::uint64_t, kBins>
      bins{};                     ///< the others by their share, from i/10 up to (i+1)/10; 1 is last
  double worst = 0;               ///< the largest share
  std::string worst_tensor = {};  ///< the output that had it; "" where no element has a share

  /// An element that is right, as low, high and value of Expectation say.
  void add(double got, double value, double low, double high);
  /// An element that is right, for which there is no one interval.
  void add_open() {
    ++elements;
    ++open;
  }
  void merge(const ErrorShares& other);
  /// Elements that have a share.
  std::uint64_t shared() const { return elements - single - open; }
  bool operator==(const ErrorShares&) const = default;
};

}  // namespace assay
