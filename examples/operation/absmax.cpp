// An operation of one's own: what goes in, what comes out, which values are tried, and what is right.
#include <assay/operation.hpp>

#include <algorithm>

#include "absmax_reference.hpp"

namespace {

std::vector<assay::Expectation> largest_magnitudes(const assay::Problem& problem) {
  const auto size = [&](const char* name) { return static_cast<std::size_t>(problem.dims.at(name)); };
  auto scales = assay::make_tensor("scales", assay::DType::f16, problem.outputs.at(0).shape);
  const auto right =
      absmax(input(problem, "W").as<std::uint16_t>(), size("K"), size("N"), size("group_size"));
  std::copy(right.begin(), right.end(), scales.as<std::uint16_t>().begin());
  return {assay::exactly(scales)};
}

const assay::RegisterOperation kAbsmax({
    .name = "absmax",
    .dimensions = {{.name = "N"}, {.name = "K"}, {.name = "group_size", .values = {8, 16, 32, 64, 128}}},
    .tensors = {{.name = "W", .type = "half", .shape = {"K", "N"}, .never = {"NaN"}},
                {.name = "scales", .type = "half", .shape = {"ceil(K / group_size)", "N"}, .access = "out"}},
    .expect = largest_magnitudes,
});

}  // namespace
