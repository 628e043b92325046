#include "properties/operations/products/group_size.hpp"

namespace assay::properties {

std::vector<Dims> long_groups() {
  return {{{"M", 3}, {"N", 9}, {"K", 1032}, {"group_size", 512}},
          {{"M", 3}, {"N", 9}, {"K", 1032}, {"group_size", 1024}},
          {{"M", 3}, {"N", 9}, {"K", 2056}, {"group_size", 2048}},
          {{"M", 1}, {"N", 256}, {"K", 256}, {"group_size", 256}},
          {{"M", 1}, {"N", 512}, {"K", 512}, {"group_size", 128}}};
}

std::vector<Dims> long_sums() {
  const auto sum = [](std::int64_t K, std::int64_t group_size) {
    return Dims{{"M", 1}, {"N", 9}, {"K", K}, {"group_size", group_size}};
  };
  // By 24 and 328 a product with a reciprocal of few bits divides wrong, late in K; of 24 and 128 there are
  // more groups than 8 bits count.
  return {sum(257 * 32 + 8, 24), sum(257 * 64 + 8, 328), sum(65'544, 128)};
}

Dimension group_size_dimension() {
  return {.name = "group_size",
          .multiple = 8,
          .choices = {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128},
          .rare = {256, 328}};  // 328: where a float's 1 / 328 is not quite what it divides by
}

}  // namespace assay::properties
