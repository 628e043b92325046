// Sizes and choices by design: a covering array in place of draws, so that what a run meets does not hang on
// its seed. A fault that shows where M is odd and K three tiles and a bit is met because that pair is in the
// plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/cases/space.hpp"

namespace assay::properties {

/// What a run has of a design that several share.
struct DesignPart {
  std::size_t first = 0;  ///< it begins there, and comes round
  bool far = true;  ///< with cases that are far from the ordinary; else the design goes on in their place
  /// It begins with those of SizeDesign::beside, which another part has too: other arithmetic is to meet
  /// them.
  bool beside = false;
};

/// A size falls into a class of each of these: its residue mod 2, 3, 4, 8 and 16; 0, 1, -1 or another one mod
/// 32, 64, the tile and the threads of a threadgroup; from 1 to 9 tiles, or more. A choice is its own class.
struct SizeDesign {
  /// Dimensions of cases, the first of them covering most: each pair of classes of two dimensions is in one
  /// of them, and of three dimensions each triple of residues mod 4, and of each dimension by itself each
  /// residue mod 64 and each landmark with its neighbours, which products of two dimensions meet too, as far
  /// as the kernel takes such sizes and a case stays small.
  std::vector<Dims> cases;
  std::size_t beside = 0;        ///< so many of the first are of two sizes that stand beside each other
  std::vector<std::string> why;  ///< "61 pairs of classes; K = 33", of each: what it adds
  std::size_t pairs = 0;         ///< of classes, which these have
  std::size_t triples = 0;       ///< of residues mod 4
  std::size_t products = 0;      ///< of two dimensions, which are landmarks or beside them
  std::size_t landmarks = 0, of_landmarks = 0;  ///< with their neighbours, of each dimension

  /// Those of the case of that number (case_at()): null of the first ones, which walk the edges, of those far
  /// from the ordinary, and behind the last one.
  const Dims* at(std::uint64_t index, const DesignPart& part = {}) const;
  /// Whether it is one of these, whose values are to show any wrong place.
  bool is_beside(std::uint64_t index, const DesignPart& part = {}) const;
  /// What that case is there for; of the first ones and of those far from the ordinary that they are; ""
  /// behind the last one.
  std::string why_of(std::uint64_t index, const DesignPart& part = {}) const;
  /// The first number behind them all; 0 where nothing is designed.
  std::uint64_t end() const;
};

/// At most so many cases, the same for equal arguments, and fewer are the first of more. `landmarks`: of the
/// kernel's text (harness/metal/text/landmarks.hpp); limits of its requirements are taken beside them.
SizeDesign design_sizes(const CaseSpace& space, const KernelTraits& traits,
                        const std::vector<std::int64_t>& landmarks, std::size_t most);

/// How many pairs of classes legal small cases can have, these among them.
std::size_t pairs_of_small_cases(const CaseSpace& space, const KernelTraits& traits,
                                 const std::vector<std::int64_t>& landmarks, const SizeDesign& design);

/// How many of the first cases of a run have designed sizes, where there are enough.
std::size_t designed_among(std::uint64_t cases, bool far = true);

}  // namespace assay::properties
