// The 4-bit weight formats (docs/formats.md, "FP4" and "INT4"), as generators and operations see them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/draw.hpp"
#include "properties/cases/traits.hpp"

namespace assay::properties {

struct WeightFormat {
  std::string name;              ///< as it stands in names of operations: "fp4", "u4", "s4"
  unsigned zero = 0;             ///< code of 0 under a scale of 1 and a zero point of 0
  unsigned one = 0;              ///< code of 1 there
  std::uint16_t tame_scale = 0;  ///< largest half that makes no weight infinite; see zero_points.hpp
  bool zero_points = false;      ///< has `zeros` beside `scales`: value(code) = code - zero - zero point

  /// W [K, N] halves of a problem that has "B", "scales" and, where the format has them, "zeros", in the
  /// chain of roundings that the arithmetic declares, and as its words mean them.
  std::vector<std::uint16_t> (*weights)(const Problem&, const Arithmetic&) = nullptr;
};

/// A code as a model's weights have it: those around 0 the most often, of both signs.
std::uint8_t model_code(const Words& words, const WeightFormat& format);

const WeightFormat& fp4_format();
const WeightFormat& u4_format();
const WeightFormat& s4_format();

}  // namespace assay::properties
