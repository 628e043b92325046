// Checks of sizes against each other. Every failure is a std::invalid_argument whose text names the field.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay::reference {

/// Throws unless `value` is at least 1.
void check_positive(std::string_view field, std::size_t value);

/// Throws unless `given` elements are exactly the `rows * columns` that `formula` stands for; the product is
/// checked for overflow, so sizes from a file cannot wrap around to a match.
void check_elements(std::string_view field, std::size_t given, std::size_t rows, std::size_t columns,
                    std::string_view formula);

/// rows * columns; throws when it does not fit.
std::size_t checked_product(std::string_view field, std::size_t rows, std::size_t columns);

/// a / b rounded up, without the overflow of (a + b - 1) / b.
constexpr std::size_t ceil_div(std::size_t a, std::size_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace assay::reference
