// Integer constant expressions in attributes: `[[function_constant(BASE + 3)]]`,
// `[[function_constant(kIndex)]]`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Value of literals, enumerators and integer constants of the text, with + - * / % << >> & | ^ ~ and
/// parentheses. Nothing if it is made of anything else.
std::optional<std::int64_t> integer_value(std::string_view expression, const TokenText& text);

}  // namespace assay::metal
