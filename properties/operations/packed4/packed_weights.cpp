#include "properties/operations/packed4/packed_weights.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "properties/cases/flushing.hpp"
#include "properties/cases/operation.hpp"
#include "properties/operations/packed4/zero_points.hpp"
#include "properties/operations/products/group_counterfactuals.hpp"
#include "properties/operations/products/weights_meaning.hpp"
#include "reference/groups.hpp"
#include "reference/packing.hpp"

namespace assay::properties {

std::vector<TensorSpec> weight_specs(const WeightFormat& format) {
  const auto words = [](const Dims& dims) {
    const std::size_t K = extent(dims, "K");
    return std::vector{(K + reference::kNibblesPerWord - 1) / reference::kNibblesPerWord, extent(dims, "N")};
  };
  const auto groups = [](const Dims& dims) {
    return std::vector{reference::group_count(extent(dims, "K"), extent(dims, "group_size")),
                       extent(dims, "N")};
  };
  std::vector<TensorSpec> specs = {{"B", DType::u32, Role::input, words},
                                   {"scales", DType::f16, Role::input, groups}};
  if (format.zero_points) specs.push_back({"zeros", DType::f16, Role::input, groups});
  return specs;
}

std::vector<Meaning> weight_meanings(const WeightFormat& format) {
  std::vector<std::string> inputs = {"scales"};
  if (format.zero_points) inputs.push_back("zeros");
  std::vector<Meaning> meanings = {nonfinite_weights_meaning(inputs)};
  for (const std::string& input : inputs) meanings.push_back(groups_meaning(input, {input}));
  return meanings;
}

std::vector<PlainStart> packed_plain_starts(const WeightFormat& format) {
  constexpr double kEights = 0x88888888;  // of integers 8 is 0, of FP4 -0
  std::vector<PlainStart> starts = {{"B", 0}, {"scales", 1}};
  if (format.zero_points) starts.push_back({"zeros", 0});
  starts.push_back({"B", kEights});
  if (format.zero_points) starts.push_back({"zeros", 8});
  return starts;
}

void pack_codes(std::span<const std::uint8_t> codes, Problem& problem) {
  const auto words = reference::pack_nibbles(codes, extent(problem.dims, "K"), extent(problem.dims, "N"));
  std::copy(words.begin(), words.end(), input(problem, "B").as<std::uint32_t>().begin());
}

WeightsSeen packed_weights_seen(const Problem& problem, std::vector<std::size_t> k_of_row) {
  const std::size_t N = extent(problem.dims, "N");
  const auto words = input(problem, "B").as<std::uint32_t>();
  Coordinate code{"with code {}", "with code {}", {}, true},
      nibble{"in nibble {}", "in nibbles {}", {}, true};
  for (const std::size_t k : k_of_row) {
    for (std::size_t n = 0; n < N; ++n) {
      code.of.push_back(reference::nibble_at(words, N, k, n));
      nibble.of.push_back(static_cast<std::int64_t>(k % reference::kNibblesPerWord));
    }
  }
  return {std::move(k_of_row), {std::move(code), std::move(nibble)}};
}

std::vector<WeightChoice> packed_choices(const Problem& problem, const WeightFormat& format,
                                         std::span<const std::uint16_t> weights,
                                         const Arithmetic& arithmetic) {
  if (!arithmetic.flushed) return {};
  std::vector<std::vector<std::uint16_t>> others;
  const auto scaled = with_flushed(problem, "scales");
  if (has_subnormals(input(problem, "scales"))) others.push_back(format.weights(scaled, arithmetic));
  if (format.zero_points && has_subnormals(input(problem, "zeros"))) {
    others.push_back(format.weights(with_flushed(problem, "zeros"), arithmetic));
    others.push_back(format.weights(with_flushed(scaled, "zeros"), arithmetic));
  }
  return weight_choices(weights, others);
}

std::vector<Counterfactual> packed_counterfactuals(const Problem& problem, const Tile& tile) {
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

  const auto groups = group_counterfactuals(
      problem, {{"scales", "zeros"}, K, N, group_size, {{static_cast<std::size_t>(tile.k), "K tile"}}});
  found.insert(found.end(), groups.begin(), groups.end());
  const auto zeros = zero_counterfactuals(problem);
  found.insert(found.end(), zeros.begin(), zeros.end());
  const auto add_format = [&](std::string_view own, std::string_view other, std::string words) {
    if (!problem.operation.ends_with(own)) return;
    found.push_back({std::move(words), problem});
    found.back().problem.operation.replace(problem.operation.size() - own.size(), own.size(), other);
  };
  add_format("_s4", "_u4", "codes were unsigned (U4: the 8 by which codes are stored were not taken away)");
  add_format("_u4", "_s4", "codes were signed (S4: each stood for 8 less)");
  return found;
}

void cover_packed_weights(const Problem& problem, Coverage& coverage) {
  const std::size_t K = extent(problem.dims, "K"), N = extent(problem.dims, "N");
  cover_codes(input(problem, "B").as<std::uint32_t>(), K, N, coverage);
}

}  // namespace assay::properties
