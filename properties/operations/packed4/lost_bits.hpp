// Zero points of which a float loses the last bits where it takes them from a code, beside scales that make
// it show.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::properties {

/// Bits of halves. Of at least one code the weight is another half where the difference is rounded to float
/// before the product than where only the product is.
struct LostBits {
  std::uint16_t scale, zero;
};
/// That of a column: zero points of both signs.
LostBits lost_bits(std::size_t column);

}  // namespace assay::properties
