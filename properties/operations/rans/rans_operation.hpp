// What operations with rANS weights share: how problems that are too large to be compressed are made of a
// smaller one's tiles, and parts cut out of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "properties/cases/operation.hpp"

namespace assay::properties {

class RansOperation : public Operation {
 public:
  using Operation::Operation;

  bool can_repeat() const override { return true; }

  /// Tiles repeat in their order, after a prime number of them: a row of some tiles, where all tiles are
  /// whole, or else some rows of tiles, where the last is as high as the others.
  Dims repeats(const Dims& dims) const override;
  std::int64_t repeats_for(const Dims& choices, std::string_view dimension) const override;

  /// Streams lie one behind the other, however often: as far as 32 bits count, for so many that their offsets
  /// can be kept.
  void repeat_counted(const Problem& small, Problem& problem) const override;

  /// The streams of the tiles of a part, moved together. Throws Unjudgeable where they do not follow one
  /// another within the data.
  std::map<std::string, Taken> cut_counted(const Problem& whole, const Part& part,
                                           Problem& cut) const override;
};

}  // namespace assay::properties
