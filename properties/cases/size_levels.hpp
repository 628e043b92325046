// The levels of an operation's dimensions that small cases can have, with the classes into which they fall:
// what a design of sizes combines (size_design.hpp).
#pragma once

#include <array>
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
/// With the elements of its tensors, and whatever else a case takes (CaseSpace::work_of).
inline constexpr double kMostOfAll = 0x1p23;

/// A legal value of a dimension with the classes it falls into, a bit each.
struct Level {
  std::int64_t value = 0;
  std::uint64_t classes = 0;
  unsigned residue = 0;                      ///< mod 4
  /// Of a size, what is met once by itself, bits each: its residue mod 64, and how many tiles it has.
  std::array<std::uint64_t, 2> alone = {};
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
  std::int64_t tiles(std::int64_t value) const { return (value + tile - 1) / tile; }
  /// The level of that value; null where there is none.
  const Level* level_of(std::int64_t value) const;
};

/// A level of each factor.
using Levels = std::vector<const Level*>;

/// Those of all dimensions, in declared order; some have no level where the kernel takes none. `marked`: how
/// many levels are landmarks.
std::vector<Factor> factors_of(const CaseSpace& space, const KernelTraits& traits,
                               const std::vector<std::int64_t>& landmarks, std::size_t& marked);

/// The product of the sizes of a case, each up to the end of its last tile: of the smallest one, and the limit
/// for all of them.
double work_of(const std::vector<Factor>& factors, const Levels& levels);
double least_work(const std::vector<Factor>& factors);
double most_work(const std::vector<Factor>& factors);

/// A level that is larger than others allow becomes the largest that they do; where all of them together take
/// too much, the largest is halved. Nothing where the kernel does not take them even so.
std::optional<Dims> legal_of(const CaseSpace& space, const std::vector<Factor>& factors, Levels& levels);

}  // namespace assay::properties
