#include "properties/packed_weights.hpp"

#include <algorithm>
#include <functional>
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

WeightsSeen packed_weights_seen(const verify::Problem& problem, std::vector<std::size_t> k_of_row) {
  const std::size_t N = extent(problem.dims, "N");
  const auto words = input(problem, "B").as<std::uint32_t>();
  Coordinate code{"code {}", "codes {}", {}, true}, nibble{"nibble {}", "nibbles {}", {}, true};
  for (const std::size_t k : k_of_row) {
    for (std::size_t n = 0; n < N; ++n) {
      code.of.push_back(reference::nibble_at(words, N, k, n));
      nibble.of.push_back(static_cast<std::int64_t>(k % reference::kNibblesPerWord));
    }
  }
  return {std::move(k_of_row), {std::move(code), std::move(nibble)}};
}

std::vector<Counterfactual> packed_counterfactuals(const verify::Problem& problem, const Tile& tile) {
  const std::size_t K = extent(problem.dims, "K"), N = extent(problem.dims, "N");
  const std::size_t group_size = extent(problem.dims, "group_size");
  const auto codes = reference::unpack_nibbles(input(problem, "B").as<std::uint32_t>(), K, N);
  std::vector<Counterfactual> found;

  using Code = std::function<std::uint8_t(std::size_t k, std::size_t n)>;
  const auto at = [&](std::size_t k, std::size_t n) -> std::uint8_t { return k < K ? codes[k * N + n] : 0; };
  const auto add_codes = [&](std::string words, const Code& code) {
    std::vector<std::uint8_t> other(codes.size());
    for (std::size_t i = 0; i < other.size(); ++i) other[i] = code(i / N, i % N);
    if (other == codes) return;
    found.push_back({std::move(words), problem});
    pack_codes(other, found.back().problem);
  };
  const auto in_order = [&](std::string words, const std::function<std::size_t(std::size_t)>& nibble) {
    add_codes(std::move(words),
              [&](std::size_t k, std::size_t n) { return at(k / 8 * 8 + nibble(k % 8), n); });
  };
  in_order("the nibbles of each word stood in reverse order (nibble 7 - i for i)",
           [](std::size_t i) { return 7 - i; });
  in_order("the nibbles of each word stood in the order 0 4 1 5 2 6 3 7",
           [](std::size_t i) { return i / 2 + i % 2 * 4; });
  in_order("the nibbles of each word stood in the order 0 2 4 6 1 3 5 7",
           [](std::size_t i) { return i % 4 * 2 + i / 4; });
  in_order("the nibbles of each byte were exchanged (nibble i xor 1)", [](std::size_t i) { return i ^ 1; });
  add_codes("the sign bit of every code were 0",
            [&](std::size_t k, std::size_t n) -> std::uint8_t { return at(k, n) & 7; });
  add_codes("the sign bit of every code were turned",
            [&](std::size_t k, std::size_t n) -> std::uint8_t { return at(k, n) ^ 8; });

  // With groups of 8, every group of any size can be given the values of any other.
  using Group = std::function<std::size_t(std::size_t k, std::size_t n)>;
  const auto add_groups = [&](const char* tensor, const std::string& words, const Group& group) {
    const auto given = std::find_if(problem.inputs.begin(), problem.inputs.end(),
                                    [&](const verify::Tensor& one) { return one.name == tensor; });
    if (given == problem.inputs.end()) return;
    const std::size_t groups = reference::group_count(K, group_size), eights = reference::group_count(K, 8);
    Counterfactual other{std::string(tensor) + words, problem};
    other.problem.dims["group_size"] = 8;
    bool differs = false;
    for (verify::Tensor& one : other.problem.inputs) {
      if (one.shape != std::vector{groups, N} || (one.name != "scales" && one.name != "zeros")) continue;
      const verify::Tensor of = one;
      one = verify::make_tensor(of.name, of.dtype, {eights, N});
      for (std::size_t i = 0; i < eights * N; ++i) {
        const std::size_t k = i / N * 8, n = i % N, right = k / group_size;
        const std::size_t from = of.name == tensor ? std::min(group(k, n), groups - 1) : right;
        one.as<std::uint16_t>()[i] = of.as<std::uint16_t>()[from * N + n];
        differs |= one.as<std::uint16_t>()[i] != of.as<std::uint16_t>()[right * N + n];
      }
    }
    if (differs) found.push_back(std::move(other));
  };
  const auto tile_k = static_cast<std::size_t>(tile.k);
  for (const char* tensor : {"scales", "zeros"}) {
    if (tile_k > 0) {
      add_groups(tensor, " were those of the group in which the K tile starts (k rounded down to the K tile)",
                 [&](std::size_t k, std::size_t) { return k / tile_k * tile_k / group_size; });
    }
    add_groups(tensor, " were those of the next group",
               [&](std::size_t k, std::size_t) { return k / group_size + 1; });
    add_groups(tensor, " were those of the group before",
               [&](std::size_t k, std::size_t) { return k / group_size - (k >= group_size ? 1 : 0); });
  }
  return found;
}

void cover_packed_weights(const verify::Problem& problem, Coverage& coverage) {
  const std::size_t K = extent(problem.dims, "K"), N = extent(problem.dims, "N");
  const auto codes = reference::unpack_nibbles(input(problem, "B").as<std::uint32_t>(), K, N);
  cover_codes(codes, K, N, coverage);
}

}  // namespace assay::properties
