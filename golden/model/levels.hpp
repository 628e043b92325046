// The values that codes stand for, ascending, and the code that is nearest to a weight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::golden {

/// N levels and the middles between neighbours. T must hold each sum of two neighbours exactly, so that no
/// other code is nearer than the one chosen: float for halves at most 2^12 times as large as their
/// neighbours, double for any halves and for floats of about one size. Infinite levels are never nearest, as
/// long as one is finite.
template <class T, std::size_t N>
class Levels {
 public:
  explicit Levels(const std::array<T, N>& ascending) : values_(ascending) {
    for (std::size_t i = 0; i + 1 < N; ++i) middles_[i] = (values_[i] + values_[i + 1]) / 2;
  }

  T operator[](std::size_t code) const { return values_[code]; }

  /// The nearest code of each weight; a tie goes to the even one. The sum of comparisons needs no branches.
  void codes(std::span<const float> weights, std::span<std::uint8_t> found) const {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const T weight = weights[i];
      unsigned code = 0;
      for (std::size_t j = 0; j + 1 < N; ++j)
        code += (j % 2 == 0 ? weight > middles_[j] : weight >= middles_[j]) ? 1 : 0;
      found[i] = static_cast<std::uint8_t>(code);
    }
  }

 private:
  std::array<T, N> values_;
  std::array<T, N - 1> middles_;
};

/// The sum of squared differences between weights and what their codes stand for: four sums, each in order,
/// that need not wait for one another.
template <class T, std::size_t N>
double squared_error(const Levels<T, N>& levels, std::span<const std::uint8_t> codes,
                     std::span<const float> weights) {
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double error = static_cast<double>(levels[codes[i]]) - static_cast<double>(weights[i]);
    sums[i % sums.size()] += error * error;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace assay::golden
