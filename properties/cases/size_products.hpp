// Landmarks that the product of two dimensions meets: tokens times slots, slices times tiles, rows times columns
// (size_design.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "properties/cases/draw.hpp"
#include "properties/cases/size_levels.hpp"

namespace assay::properties {

/// The values that products are to have: landmarks, the threads of a threadgroup, and both neighbours of each.
/// A product is of two values, or of a value and of a number of tiles, and of neither as 1. One of the two has
/// no tile: products of two sizes with tiles are what a design takes as numbers of tiles.
class SizeProducts {
 public:
  SizeProducts(const std::vector<Factor>& factors, const std::vector<std::int64_t>& landmarks,
               std::int64_t threads);

  /// Calls with the number of each product of these levels that is one of the values; or of those that one
  /// factor has a part in.
  template <class Visit>
  void each(const Levels& levels, std::optional<std::size_t> of, const Visit& visit) const {
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const Pair& pair = pairs_[p];
      if (of && *of != pair.a && *of != pair.b) continue;
      const std::int64_t a = levels[pair.a]->value, b = measure(pair, levels[pair.b]->value);
      if (a < 2 || b < 2 || a * b >= std::ssize(numbers_)) continue;
      if (const std::int32_t number = numbers_[static_cast<std::size_t>(a * b)]; number >= 0)
        visit(p * values_.size() + static_cast<std::size_t>(number));
    }
  }

  /// A level of the factor that makes one of the products, drawn among them, beside what the others have now;
  /// null where that one has none.
  const Level* drawn(std::size_t factor, const Levels& levels, std::uint32_t word) const;

  /// Of all pairs together.
  std::size_t count() const { return pairs_.size() * values_.size(); }

 private:
  struct Pair {
    std::size_t a = 0, b = 0;
    bool tiles = false;  ///< tiles of b
  };
  std::int64_t measure(const Pair& pair, std::int64_t value) const {
    return pair.tiles ? factors_[pair.b].tiles(value) : value;
  }

  const std::vector<Factor>& factors_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<std::size_t>> pairs_of_;  ///< of each factor
  std::vector<std::int64_t> values_;                ///< ascending
  std::vector<std::int32_t> numbers_;               ///< of each value up to the largest; -1: none
};

}  // namespace assay::properties
