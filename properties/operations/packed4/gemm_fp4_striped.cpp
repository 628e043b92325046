// As gemm_fp4, by threadgroups that share out tiles and slices of K and add up what the slices give
// (docs/operations.md, "Striped product").
#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "properties/cases/operation.hpp"
#include "properties/operations/packed4/exhaustive.hpp"
#include "properties/operations/packed4/half_partials.hpp"
#include "properties/operations/packed4/packed_gemm.hpp"
#include "properties/operations/packed4/packed_weights.hpp"
#include "properties/operations/packed4/reduction_buffers.hpp"
#include "properties/operations/products/group_size.hpp"

namespace assay::properties {
namespace {

OperationDeclaration declare_gemm_fp4_striped() {
  OperationDeclaration declared = packed_gemm_declaration("gemm_fp4_striped", fp4_format());
  for (TensorSpec& spec : reduction_specs()) declared.tensors.push_back(std::move(spec));
  for (Dimension& one : declared.dimensions) {
    if (one.name == "M" || one.name == "N") one = reduced_side(one.name, one.tile);
  }
  for (Dimension& one : reduction_dimensions()) declared.dimensions.push_back(std::move(one));
  declared.launches = 2;
  declared.long_sizes = [](const Tile& tile) {
    const std::int64_t k_tile = std::max<std::int64_t>(tile.k, 1);
    Dims many = many_reductions();
    many.insert({{"K", k_tile + 8}, {"group_size", 8}});
    // No slice is empty, and the last ones lie beyond 2^16 partial sums.
    constexpr std::int64_t kRows = 9, kColumns = 1'031, kSlices = 9;
    static_assert(kRows * kColumns * (kSlices - 1) > 1 << 16);
    std::vector<Dims> sizes = long_sums();
    for (Dims& one : sizes) one.insert({{"parallel", 3}, {"threadgroups", 2}});
    // The last slice begins beyond 2^16.
    sizes.push_back({{"M", 1},
                     {"N", 9},
                     {"K", (1 << 17) + 8 * k_tile},
                     {"group_size", 128},
                     {"parallel", 2},
                     {"threadgroups", 2}});
    // Each threadgroup works on so many tiles, one after the other: so tiles that far apart are in flight
    // together, and must not share a counter. What fewer counters share, by a power of two, these do.
    constexpr std::int64_t kThreadgroups = 2, kSide = kTileSide, kApart = 1024;
    sizes.push_back({{"M", 1},
                     {"N", kThreadgroups * kApart * kSide},
                     {"K", k_tile + 8},
                     {"group_size", 8},
                     {"parallel", 2},
                     {"threadgroups", kThreadgroups}});
    sizes.push_back(std::move(many));
    // One tile has more slices than 16 bits count.
    sizes.push_back({{"M", 1},
                     {"N", 1},
                     {"K", k_tile + 8},
                     {"group_size", 8},
                     {"parallel", 65'541},
                     {"threadgroups", 3}});
    sizes.push_back({{"M", kRows},
                     {"N", kColumns},
                     {"K", kSlices * k_tile},
                     {"group_size", 8},
                     {"parallel", kSlices},
                     {"threadgroups", 7}});
    return sizes;
  };
  declared.meanings.push_back(half_partials_meaning());
  declared.planned_sizes = [](const Tile& tile) {
    auto sizes = long_groups();
    const std::int64_t k_tile = std::max<std::int64_t>(tile.k, 1);
    for (const std::int64_t slices : {72, 136, 264}) {  // more than 6, 7 and 8 bits count
      sizes.push_back({{"M", 9},
                       {"N", 9},
                       {"K", slices * k_tile + 1},
                       {"group_size", 128},
                       {"parallel", slices},
                       {"threadgroups", 7}});
    }
    return sizes;
  };
  return declared;
}

void check_zero(const Problem& problem, const char* name) {
  const auto& data = input(problem, name).data;
  if (std::any_of(data.begin(), data.end(), [](std::byte byte) { return byte != std::byte{0}; })) {
    throw std::invalid_argument(std::string(name) + ": must be zero before the first launch");
  }
}

class GemmFp4Striped final : public Operation {
 public:
  GemmFp4Striped() : Operation(declare_gemm_fp4_striped()) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const override {
    check_problem(problem);
    check_zero(problem, "partials");
    check_zero(problem, "counters");
    std::vector<Expectation> expected = expect_zero_buffers(problem.dims);
    // One slice has no other to meet, and is rounded to half once in any case.
    const std::size_t slices = extent(problem.dims, "parallel");
    const std::size_t half_slices = has_half_partials(arithmetic) && slices > 1 ? slices : 0;
    expected.insert(expected.begin(), expect_packed_gemm(problem, fp4_format(), arithmetic, half_slices));
    return expected;
  }

  void cover(const Problem& problem, Coverage& coverage) const override {
    cover_packed_weights(problem, coverage);
  }
  std::vector<std::string> wanted_coverage() const override { return all_code_tags(); }
  std::unique_ptr<ExhaustiveRun> exhaustive(const KernelTraits& traits, WordRange words) const override {
    return packed_exhaustive(*this, fp4_format(), traits, words);
  }

  std::optional<WeightsSeen> weights_seen(const Problem& problem, std::string_view output) const override {
    return packed_gemm_weights_seen(problem, output);
  }
  std::vector<Counterfactual> counterfactuals(const Problem& problem, const Tile& tile) const override {
    return packed_counterfactuals(problem, tile);
  }

 protected:
  void fill(const Case& test_case, Problem& filled) const override {
    fill_packed_gemm(test_case, fp4_format(), filled);
  }
};

const RegisterOperation kGemmFp4Striped("gemm_fp4_striped",
                                        [] { return std::make_unique<GemmFp4Striped>(); });

}  // namespace
}  // namespace assay::properties
