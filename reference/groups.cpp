#include "reference/groups.hpp"

#include <stdexcept>
#include <string>

#include "reference/shape.hpp"

namespace assay::reference {

void check_group_size(std::size_t group_size) {
  if (group_size == 0 || group_size % 8 != 0) {
    throw std::invalid_argument("group_size: must be a positive multiple of 8, is " +
                                std::to_string(group_size));
  }
}

std::size_t group_count(std::size_t K, std::size_t group_size) { return ceil_div(K, group_size); }

std::size_t group_of(std::size_t k, std::size_t group_size) { return k / group_size; }

}  // namespace assay::reference
