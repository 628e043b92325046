#include "properties/operations/packed4/lost_bits.hpp"

#include <gtest/gtest.h>

#include "reference/half.hpp"

namespace assay::properties {
namespace {

// Each column has a code whose weight tells who rounds the difference from who does not.
TEST(LostBits, ShowWhoRoundsTheDifference) {
  for (std::size_t column = 0; column < 64; ++column) {
    const auto [scale_bits, zero_bits] = lost_bits(column);
    const double scale = reference::half_to_double(scale_bits), zero = reference::half_to_double(zero_bits);
    int told = 0;
    for (int code = -8; code < 16; ++code) {
      const auto difference = static_cast<float>(code) - static_cast<float>(zero);
      const auto rounded = difference * static_cast<float>(scale);
      const auto once = static_cast<float>((code - zero) * scale);
      told += reference::half_from_double(rounded) != reference::half_from_double(once) ? 1 : 0;
    }
    EXPECT_GT(told, 0) << "column " << column << ": zero " << zero << ", scale " << scale;
  }
}

}  // namespace
}  // namespace assay::properties
