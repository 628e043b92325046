#include "properties/operations/packed4/lost_bits.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "properties/cases/draw.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

constexpr std::size_t kColumns = 21;
/// Of zero points. Above, a float holds every difference from a code; below, a scale of 11 bits brings no
/// product as near to a tie as the zero point moves it.
constexpr int kExponent = -11;
constexpr std::uint32_t kTries = 1 << 16;

/// A code as either format has it: from -8, or up to 15.
bool shows(int code, double zero, double scale) {
  const double exact = (code - zero) * scale;  // of less than 53 bits, and no subnormal half
  // Most are too far from a tie for a float's rounding to matter.
  constexpr int kBelowHalf = 53 - 11, kBelowFloat = 53 - 22;
  const std::int64_t behind = std::bit_cast<std::int64_t>(exact) & ((std::int64_t{1} << kBelowHalf) - 1);
  if (std::abs(behind - (std::int64_t{1} << (kBelowHalf - 1))) > std::int64_t{1} << kBelowFloat) return false;
  const auto rounded = static_cast<double>(static_cast<float>(code - zero)) * scale;
  return reference::half_from_double(static_cast<double>(static_cast<float>(exact))) !=
         reference::half_from_double(static_cast<double>(static_cast<float>(rounded)));
}

LostBits find(std::size_t column) {
  const Draw draw(column, "lost bits");
  const double sign = column % 3 == 1 ? -1 : 1;
  LostBits found{};
  for (std::uint32_t i = 0; i < kTries; ++i) {
    const Words words = draw.words(i);
    found.zero =
        reference::half_from_double(sign * std::ldexp(1024.0 + below(1024, words[0]), kExponent - 10));
    found.scale = reference::half_from_double(1 + below(1024, words[1]) / 1024.0);
    const double zero = reference::half_to_double(found.zero), scale = reference::half_to_double(found.scale);
    for (int code = -8; code < 16; ++code)
      if (code != 0 && shows(code, zero, scale)) return found;
  }
  return found;
}

}  // namespace

LostBits lost_bits(std::size_t column) {
  static const auto all = [] {
    std::array<LostBits, kColumns> found{};
    for (std::size_t i = 0; i < kColumns; ++i) found[i] = find(i);
    return found;
  }();
  return all[column % kColumns];
}

}  // namespace assay::properties
