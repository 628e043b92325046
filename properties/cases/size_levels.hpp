// The levels of an operation's dimensions that small cases can have, with the classes into which they fall:
// what a design of sizes combines (size_design.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "properties/cases/space.hpp"

namespace assay::properties {

/// Of one dimension, each a bit of a word.
inline constexpr std::size_t kMostClasses = 64;

/// Products of sizes, each up to the end of its last tile: no case has more, unless the smallest has nearly
/// as much.
inline constexpr double kMostWork = 0x1p21;

/// A legal value of a dimension with the classes it falls into, a bit each.
struct Level {
  std::int64_t value = 0;
  std::uint64_t classes = 0;
  unsigned residue = 0;                      ///< mod 4
  std::optional<std::size_t> landmark = {};  ///< its number among those of all factors
};

/// A dimension.
struct Factor {
  const Dimension* dimension = nullptr;
  std::int64_t tile = 1;
  std::vector<Level> levels;           ///< ascending
  std::vector<std::size_t> landmarks;  ///< levels that are some
  std::uint64_t small = 0;             ///< classes of small residues, of which no pair is left out
  /// Its part in the product of sizes.
  double cost(std::int64_t value) const;
};

/// Those of all dimensions, in declared order; some have no level where the kernel takes none. `marked`: how
/// many levels are landmarks.
std::vector<Factor> factors_of(const CaseSpace& space, const KernelTraits& traits,
                               const std::vector<std::int64_t>& landmarks, std::size_t& marked);

/// What the smallest case has, and the limit for all of them.
double least_work(const std::vector<Factor>& factors);
double most_work(const std::vector<Factor>& factors);

}  // namespace assay::properties
