// How often values occur, for what is fitted to a whole matrix: levels of a grid, the step of a line of
// levels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay::golden {

/// A value and how often it occurs.
struct Counted {
  double value = 0;
  std::uint64_t count = 0;
};

/// Counts of finite floats, each rounded to the 8 significant bits of a BF16. So BF16 weights are counted as
/// they are, any others within 1/256 of their magnitude. Counts are integers: the order in which values come
/// does not matter.
class ValueCounts {
 public:
  ValueCounts() : counts_(std::size_t{1} << 16) {}

  void add(float value);
  void add(const ValueCounts& other);

  /// Those that occur, ascending; -0 and 0 are one.
  std::vector<Counted> ascending() const;
  /// The least and the greatest that was added, exactly; 0 where there was none.
  float lowest() const { return lowest_ <= highest_ ? lowest_ : 0; }
  float highest() const { return lowest_ <= highest_ ? highest_ : 0; }

 private:
  std::vector<std::uint64_t> counts_;
  float lowest_ = 3.402823466e+38F, highest_ = -3.402823466e+38F;
};

/// The sum of count * (value - nearest level)^2; levels ascending.
double squared_distance(std::span<const Counted> values, std::span<const double> levels);

/// One round of Lloyd's iteration (Least squares quantization in PCM, IEEE Transactions on Information Theory
/// 28, 1982): each level becomes the mean of the values that are nearest to it; one that has none stays.
/// Levels stay ascending, and squared_distance never grows.
void lloyd_round(std::span<const Counted> values, std::vector<double>& levels);

/// `count` levels, ascending: from quantiles by rounds of Lloyd's iteration until they gain less than one
/// part in a million. Without values: levels from -1 to 1 at equal distances.
std::vector<double> fit_levels(std::span<const Counted> values, std::size_t count);

/// A level for each symbol s = 0 .. 15: s * step + first.
struct Line {
  double step = 1, first = 0;
};

/// The line that errs least of those that ranges give, from that of all values down to a hundredth of it
/// around their mean, each of them improved by least squares in turn with nearest symbols. Its step is above
/// 0.
Line fit_line(std::span<const Counted> values);

}  // namespace assay::golden
