// What operations with rANS weights share: how problems that are too large to be compressed are made of a
// smaller one's tiles, and parts cut out of them.
#pragma once

#include <map>
#include <string>

#include "properties/cases/operation.hpp"

namespace assay::properties {

class RansOperation : public Operation {
 public:
  using Operation::Operation;

  bool can_repeat() const override { return true; }

  /// Rows, after whole tiles.
  std::int64_t repeats_after(const Dims& dims, std::string_view dimension) const override;

  /// Streams lie one behind the other, however often: as far as 32 bits count, for so many that their offsets
  /// can be kept.
  void repeat_counted(const Problem& small, Problem& problem) const override;

  /// The streams of the tiles of a part, moved together. Throws Unjudgeable where they do not follow one
  /// another within the data.
  std::map<std::string, Taken> cut_counted(const Problem& whole, const Part& part,
                                           Problem& cut) const override;
};

}  // namespace assay::properties
