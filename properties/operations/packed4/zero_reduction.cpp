// Clears the buffers of a striped product, whatever a launch that went wrong has left in them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "properties/cases/draw.hpp"
#include "properties/cases/operation.hpp"
#include "properties/operations/packed4/half_partials.hpp"
#include "properties/operations/packed4/reduction_buffers.hpp"

namespace assay::properties {
namespace {

/// What compares as 0, or as nothing at all.
constexpr std::array kOdd = {-0.0F, std::numeric_limits<float>::denorm_min(), HUGE_VALF,
                             std::numeric_limits<float>::quiet_NaN()};

OperationDeclaration declare_zero_reduction() {
  OperationDeclaration declared = {
      .name = "zero_reduction",
      .tensors = reduction_specs(),
      .dimensions = {reduced_side("M", &Tile::m), reduced_side("N", &Tile::n)},
      .regimes =
          {
              {.name = "stopped",
               .about = "what a launch leaves that was stopped: ordinary sums, counters below `parallel`"},
              {.name = "any", .about = "any bits: NaN, infinities, subnormals, -0", .weight = 2},
          },
      .long_sizes =
          [](const Tile&) {
            constexpr std::int64_t kRows = 9, kColumns = 8'209, kSlices = 230;
            static_assert(kRows * kColumns * kSlices > 1 << 24);
            return std::vector<Dims>{
                many_reductions(),
                more_tiles_than(1 << 16),
                {{"M", kRows}, {"N", kColumns}, {"parallel", kSlices}, {"threadgroups", 33}}};
          },
  };
  declared.meanings = {half_partials_meaning()};
  for (Dimension& one : reduction_dimensions()) declared.dimensions.push_back(std::move(one));
  return declared;
}

class ZeroReduction final : public Operation {
 public:
  ZeroReduction() : Operation(declare_zero_reduction()) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic&) const override {
    check_problem(problem);
    return expect_zero_buffers(problem.dims);
  }

 protected:
  void fill(const Case& test_case, Problem& filled) const override {
    const bool any = test_case.regime == "any";
    const Draw sums(test_case.seed, "partials"), counts(test_case.seed, "counters");
    const auto partials = input(filled, "partials").as<std::uint32_t>();
    for (std::size_t i = 0; i < partials.size(); ++i) {
      const Words words = sums.words(i);
      const auto sum = static_cast<float>(between(-(1 << 20), 1 << 20, words[0])) * 0x1p-10F;
      partials[i] = !any                ? std::bit_cast<std::uint32_t>(sum)
                    : words[1] % 4 == 0 ? std::bit_cast<std::uint32_t>(kOdd[words[2] % kOdd.size()])
                                        : words[0];
    }
    const auto parallel = static_cast<std::uint32_t>(dim(test_case.dims, "parallel"));
    const auto counters = input(filled, "counters").as<std::uint32_t>();
    for (std::size_t i = 0; i < counters.size(); ++i) {
      const std::uint32_t word = counts.words(i)[0];
      counters[i] = any ? word : std::max(1U, below(parallel, word));
    }
  }
};

const RegisterOperation kZeroReduction("zero_reduction", [] { return std::make_unique<ZeroReduction>(); });

}  // namespace
}  // namespace assay::properties
