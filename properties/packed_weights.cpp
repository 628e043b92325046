#include "properties/packed_weights.hpp"

#include <algorithm>
#include <utility>

#include "properties/operation.hpp"
#include "reference/groups.hpp"
#include "reference/packing.hpp"

namespace assay::properties {

std::function<std::vector<std::size_t>(const verify::Dims&)> shape_of(std::vector<std::string> dimensions) {
  return [names = std::move(dimensions)](const verify::Dims& dims) {
    std::vector<std::size_t> shape;
    for (const std::string& name : names) shape.push_back(extent(dims, name));
    return shape;
  };
}

std::vector<TensorSpec> weight_specs(const WeightFormat& format) {
  const auto words = [](const verify::Dims& dims) {
    const std::size_t K = extent(dims, "K");
    return std::vector{(K + reference::kNibblesPerWord - 1) / reference::kNibblesPerWord, extent(dims, "N")};
  };
  const auto groups = [](const verify::Dims& dims) {
    return std::vector{reference::group_count(extent(dims, "K"), extent(dims, "group_size")),
                       extent(dims, "N")};
  };
  std::vector<TensorSpec> specs = {{"B", verify::DType::u32, Role::input, words},
                                   {"scales", verify::DType::f16, Role::input, groups}};
  if (format.zero_points) specs.push_back({"zeros", verify::DType::f16, Role::input, groups});
  return specs;
}

Dimension group_size_dimension() {
  return {.name = "group_size",
          .multiple = 8,
          .choices = {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128}};
}

void pack_codes(std::span<const std::uint8_t> codes, verify::Problem& problem) {
  const auto words = reference::pack_nibbles(codes, extent(problem.dims, "K"), extent(problem.dims, "N"));
  std::copy(words.begin(), words.end(), input(problem, "B").as<std::uint32_t>().begin());
}

void cover_packed_weights(const verify::Problem& problem, Coverage& coverage) {
  const std::size_t K = extent(problem.dims, "K"), N = extent(problem.dims, "N");
  const auto codes = reference::unpack_nibbles(input(problem, "B").as<std::uint32_t>(), K, N);
  cover_codes(codes, K, N, coverage);
}

}  // namespace assay::properties
