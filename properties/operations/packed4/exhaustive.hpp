// Runs that leave nothing out: 4-bit weights have so few codes, scales and zero points that a kernel's
// dequantization can be tried on all of them.
//
//   scales   every code under every half as a scale, bit for bit
//   zeros    every code with every half as a zero point, bit for bit; formats with zero points only
//   places   every code at every row, column and k of a tile
//   words    every packed word
//
// Products are asked by identity probes: row m of A is a unit vector, so C is W. An infinite or NaN weight
// spoils its whole column, so those are tried alone as well, with K = 1.
#pragma once

#include <memory>

#include "properties/cases/exhaustive.hpp"
#include "properties/cases/operation.hpp"
#include "properties/operations/packed4/weight_format.hpp"

namespace assay::properties {

/// The run of a kernel of `operation`, whose weights have that format; its sweep is over packed words
/// (word_of), rounded up to whole launches. Throws std::invalid_argument where the kernel's requirements
/// leave no room for one. The operation must outlive it.
std::unique_ptr<ExhaustiveRun> packed_exhaustive(const Operation& operation, const WeightFormat& format,
                                                 const KernelTraits& traits, WordRange words);

}  // namespace assay::properties
