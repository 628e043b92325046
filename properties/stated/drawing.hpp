// How the values of one input of a stated operation are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "harness/verify/stated_operation.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/draw.hpp"
#include "properties/stated/patterns.hpp"

namespace assay::properties {

class Drawing {
 public:
  Drawing(const Case& test_case, const StatedTensor& stated, Tensor& tensor)
      : test_case_(test_case), stated_(stated), tensor_(tensor), draw_(test_case.seed, stated.name) {}

  /// Writes every element, as the manifest and the case's regime have it, or by a pattern that the tensor
  /// takes. `below`: is_below() of that.
  void run(std::optional<Pattern> pattern, bool below);

 private:
  /// An ordinary value, of these words.
  void put(std::size_t i, const Words& words);
  void put_bits(std::size_t i, std::uint32_t word);
  double value(const Words& words) const;
  /// What the regime makes of values that the manifest leaves free.
  double varied(const Words& words) const;
  /// Whole numbers of kind `below` lie below this.
  std::int64_t limit() const;

  void put_patterned(std::size_t i, Pattern pattern, bool below);
  /// Of whole numbers: an end of the range, what lies beside it, or about the sign bit.
  double beside_ends(std::uint32_t word) const;
  /// The least and the largest value that the manifest allows.
  std::pair<double, double> ends() const;
  /// The value that the tensor may hold which is nearest to this one.
  double nearest(double wanted) const;
  /// Of those from 2^low to 2^(high + 1).
  void put_magnitude(std::size_t i, int low, int high, const Words& words);
  void put_subnormal(std::size_t i, const Words& words);
  /// Positive, and infinity a little before the last of a row.
  void put_behind(std::size_t i, const Words& words);
  void put_infinite(std::size_t i, const Words& words);
  void put_strided(std::size_t i, const Words& words);
  void put_step(std::size_t i);
  /// Whole numbers, and behind them what no sum or maximum misses. `falls`: those of the second half are
  /// below 0.
  void put_end(std::size_t i, const Words& words, bool falls);
  bool is_at_an_end(std::size_t i) const;
  /// In the second half of its innermost long axis.
  bool is_late(std::size_t i) const;
  /// Which run the element is of; elements are asked for in order.
  std::uint64_t run_at(std::size_t i);

  const Case& test_case_;
  const StatedTensor& stated_;
  Tensor& tensor_;
  Draw draw_;
  std::uint64_t run_ = 0;    ///< runs that have begun
  std::size_t run_end_ = 0;  ///< of the last of them
};

/// From 0 to 1, neither included.
inline double fraction_of(std::uint32_t word) { return (static_cast<double>(word) + 0.5) * 0x1p-32; }

/// Whether numbers of the type have a sign.
inline bool is_signed(DType dtype) {
  return dtype != DType::u8 && dtype != DType::u16 && dtype != DType::u32;
}

}  // namespace assay::properties
