// Values that break arithmetic, put into a few places of an operand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "properties/cases/case.hpp"

namespace assay::properties {

/// Halves as bit patterns.
inline constexpr std::uint16_t kOne = 0x3C00, kOneHalf = 0x3800;
inline constexpr std::uint16_t kNegativeZero = 0x8000;
inline constexpr std::uint16_t kLargestFinite = 0x7BFF;

/// The first few spoil a whole row of A or column of W.
inline constexpr std::array<std::uint16_t, 9> kSpecialValues = {
    0x7E00,          // NaN
    0x7C00,          // +infinity
    0xFC00,          // -infinity
    kLargestFinite,  // 65504: as a scale, weights overflow
    0xFBFF,          // -65504
    0x0001,          // smallest subnormal
    0x83FF,          // largest subnormal, negative
    0x0400,          // smallest normal
    kNegativeZero,   //
};

/// The value of a knob, 0 where the case has none of that name.
std::int64_t knob_of(const Case& test_case, std::string_view name);

/// Puts knob `count` + 1 special values into one operand, the first of them one of the `poisonous`. Those
/// spoil the row or column they are in, so where there is one row or column only, they stay out: nothing
/// could be judged.
void scatter_specials(const Case& test_case, std::string_view stream, std::size_t poisonous, bool may_poison,
                      std::span<std::uint16_t> values);

}  // namespace assay::properties
