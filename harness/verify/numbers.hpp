// Numbers as people write and read them. Nothing else is taken than what is said: no sign, no space, no
// "0x10", no "inf".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/device/grouped.hpp"

namespace assay {

/// Decimal digits; nothing where the text is anything else, or more than 64 bits hold.
std::optional<std::uint64_t> whole_number_in(std::string_view text);

/// Decimal digits with at most one point among them; nothing where the text is anything else.
std::optional<double> decimal_in(std::string_view text);

/// Seconds as decimal_in() takes them, or such a number with the unit s, m or h behind it: 600 for "10m".
std::optional<double> duration_in(std::string_view text);

/// 1000000 as "1,000,000"; 1 byte as "1 byte".
using device::counted;
using device::grouped;

}  // namespace assay
