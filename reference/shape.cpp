#include "reference/shape.hpp"

#include <stdexcept>
#include <string>

namespace assay::reference {

void check_positive(std::string_view field, std::size_t value) {
  if (value == 0) throw std::invalid_argument(std::string(field) + ": must be at least 1, is 0");
}

std::size_t checked_product(std::string_view field, std::size_t rows, std::size_t columns) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(rows, columns, &product)) {
    throw std::invalid_argument(std::string(field) + ": " + std::to_string(rows) + " x " +
                                std::to_string(columns) + " elements do not fit in memory");
  }
  return product;
}

void check_elements(std::string_view field, std::size_t given, std::size_t rows, std::size_t columns,
                    std::string_view formula) {
  const std::size_t needed = checked_product(field, rows, columns);
  if (given != needed) {
    throw std::invalid_argument(std::string(field) + ": has " + std::to_string(given) + " elements, needs " +
                                std::string(formula) + " = " + std::to_string(rows) + " x " +
                                std::to_string(columns) + " = " + std::to_string(needed));
  }
}

}  // namespace assay::reference
