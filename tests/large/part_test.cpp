// Parts of problems: what is right for a part, solved by itself, is what is right for the whole there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "properties/cases/axes.hpp"
#include "properties/cases/draw.hpp"
#include "properties/cases/search.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/part.hpp"
#include "tests/large/entries.hpp"

namespace assay::properties {
namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class PartOf : public ::testing::TestWithParam<const char*> {};

// Varies sizes, groups, regimes and the range along each dimension that an output runs along.
TEST_P(PartOf, AProblemHasItsAnswers) {
  const Operation& operation = find_operation(GetParam());
  const KernelTraits traits = {.tile = {64, 64, 32}, .requirements = {}, .arithmetic = {}};
  const CaseSpace cases = operation.cases(traits, {.largest = 1 << 15, .least = 1 << 12, .longest = 0});
  std::size_t compared = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Case test_case = case_at(cases, 11, i);
    const Problem whole = operation.make_problem(test_case);
    const Draw draw(i, "part");
    Part part;
    std::uint64_t drawn = 0;
    for (const Dimension& one : operation.declaration().dimensions) {
      if (one.is_choice() || !is_free(operation.declaration(), one.name)) continue;
      const auto size = static_cast<std::uint32_t>(dim(test_case.dims, one.name));
      const Words words = draw.words(drawn++);
      const std::size_t begin = below(size, words[0]);
      part[one.name] = {begin, begin + 1 + below(size - static_cast<std::uint32_t>(begin), words[1])};
    }
    std::vector<Expectation> expected, of_part;
    CutProblem cut;
    try {
      cut = cut_out(operation, whole, part);
      expected = operation.expect(whole, traits.arithmetic);
      of_part = operation.expect(cut.problem, traits.arithmetic);
    } catch (const Unjudgeable&) {
      continue;
    }
    ASSERT_EQ(expected.size(), of_part.size());
    for (std::size_t output = 0; output < expected.size(); ++output) {
      const auto places = places_in(operation, whole, cut, part, expected[output].tensor);
      ASSERT_EQ(places.size(), of_part[output].value.size());
      std::size_t inside = 0;
      for (std::size_t e = 0; e < places.size(); ++e) {
        if (!places[e]) continue;
        ++inside;
        ASSERT_TRUE(same(of_part[output].value[e], expected[output].value[*places[e]]) &&
                    same(of_part[output].low[e], expected[output].low[*places[e]]) &&
                    same(of_part[output].high[e], expected[output].high[*places[e]]))
            << to_line(test_case) << " " << expected[output].tensor << " element " << *places[e] << ": "
            << of_part[output].value[e] << " in " << of_part[output].low[e] << ", " << of_part[output].high[e]
            << "; whole " << expected[output].value[*places[e]] << " in " << expected[output].low[*places[e]]
            << ", " << expected[output].high[*places[e]];
      }
      const TensorSpec& spec = *find_named(operation.declaration().tensors, expected[output].tensor);
      std::vector<std::size_t> asked = spec.axes(whole.dims);  // of each axis, how much
      for (const auto& [dimension, range] : part) {
        const Axis axis = axis_of(spec, whole.dims, dimension);
        if (axis.kind == Axis::Kind::along)
          asked.at(axis.axis) = (range.end - 1) / axis.block - range.begin / axis.block + 1;
      }
      EXPECT_EQ(inside, std::accumulate(asked.begin(), asked.end(), std::size_t{1}, std::multiplies{}))
          << to_line(test_case) << " " << spec.name;
      compared += inside;
    }
  }
  EXPECT_GT(compared, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Operations, PartOf,
                         ::testing::Values("gemm_fp4", "gemm_u4", "gemm_s4", "dequantize_fp4",
                                           "dequantize_u4", "gemm_trellis", "dequantize_trellis",
                                           "moe_swiglu_trellis", "rans_decode", "rans_gemv", "rans_gemm"),
                         [](const auto& of) { return std::string(of.param); });

TEST(Part, OfARepeatedTensorIsThatOfTheWholeOne) {
  const Operation& operation = find_operation("gemm_fp4");
  const Case large{.operation = "gemm_fp4",
                   .dims = {{"M", 40'000}, {"N", 3'000}, {"K", 520}, {"group_size", 24}},
                   .regime = "random",
                   .knobs = {},
                   .seed = 5};
  ASSERT_TRUE(is_large(operation.declaration(), large.dims));
  const Problem repeated = make_large_problem(operation, large);
  Problem whole = repeated;
  std::size_t patterns = 0;
  for (Tensor& tensor : whole.inputs) {
    if (!tensor.repeated) continue;
    ++patterns;
    std::vector<std::byte> data(tensor.element_count() * assay::size_of(tensor.dtype));
    tensor.copy(0, data);
    tensor.data = std::move(data);
    tensor.repeated = false;
  }
  EXPECT_EQ(patterns, 1u) << "A alone is beyond what is kept whole";
  const Part part = {{"M", {39'990, 40'000}}, {"N", {17, 33}}};
  const CutProblem a = cut_out(operation, repeated, part), b = cut_out(operation, whole, part);
  for (std::size_t i = 0; i < a.problem.inputs.size(); ++i)
    EXPECT_EQ(a.problem.inputs[i].data, b.problem.inputs[i].data) << a.problem.inputs[i].name;
  EXPECT_EQ(a.taken.at("A").first, 39'990u * 520);
  EXPECT_EQ(a.taken.at("A").last, 40'000u * 520 - 1);
}

// What lies a power of two away, or rows of usual lengths away, is something else.
TEST(LargeProblem, DoesNotLookTheSameFromAfar) {
  const Operation& operation = find_operation("gemm_fp4");
  const Case large{.operation = "gemm_fp4",
                   .dims = {{"M", 9}, {"N", 5'000'000}, {"K", 72}, {"group_size", 8}},
                   .regime = "random",
                   .knobs = {},
                   .seed = 5};
  const Problem problem = make_large_problem(operation, large);
  for (const char* name : {"B", "scales"}) {
    const Tensor& tensor = input(problem, name);
    ASSERT_TRUE(tensor.repeated) << name;
    const std::size_t size = assay::size_of(tensor.dtype);
    for (const std::size_t distance :
         {std::size_t{1} << 8, std::size_t{1} << 15, std::size_t{1} << 16, std::size_t{1} << 20,
          std::size_t{1} << 24, std::size_t{4096}, std::size_t{5'000'000}, std::size_t{14'336}}) {
      std::vector<std::byte> here(64 * size), there(64 * size);
      tensor.copy(1000, here);
      tensor.copy(1000 + distance, there);
      EXPECT_NE(here, there) << name << ' ' << distance;
    }
  }
}

/// A layer of compressed weights that is too large to be compressed.
Case large_rans(std::int64_t M, std::int64_t N) {
  return {.operation = "rans_gemm",
          .dims = {{"batch", 3}, {"M", M}, {"N", N}, {"streams", 4}, {"tile_rows", 64}, {"tile_cols", 64}},
          .regime = "random",
          .knobs = {},
          .seed = 5};
}

/// That rows of tiles 61 apart are the same, one nearer or farther is not, and all tiles are sound.
void expect_period(const Case& large) {
  const Operation& operation = find_operation("rans_gemm");
  ASSERT_TRUE(is_large(operation.declaration(), large.dims));
  const Problem repeated = make_large_problem(operation, large);
  const auto offsets = input(repeated, "stream_offset").as<std::uint32_t>();
  EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
  EXPECT_LT(offsets.back(), input(repeated, "data").element_count());
  const auto answers = [&](std::size_t tile_row) {
    const std::size_t row = 64 * tile_row;
    return operation.expect(cut_out(operation, repeated, {{"M", {row, row + 64}}}).problem, {});
  };
  const auto first = answers(7), again = answers(7 + 61 * 41);
  EXPECT_EQ(first[0].value, again[0].value);
  for (const std::size_t other : {std::size_t{6}, std::size_t{8}, std::size_t{7 + 64}, std::size_t{7 + 1024}})
    EXPECT_NE(first[0].value, answers(other)[0].value) << other;
  const std::size_t last = extent(large.dims, "M") / 64 - 1;
  for (const std::size_t row : {std::size_t{0}, std::size_t{60}, last}) {
    const auto found = answers(row);
    EXPECT_EQ(found[1].value, std::vector<double>(found[1].value.size(), 0.0))
        << "row " << row << " is sound";
  }
}

// Of compressed weights the streams of a few rows of tiles are repeated, and their offsets go on; the last
// repetition may be a piece.
TEST(LargeRans, RepeatsRowsOfTilesWhereTheLastOfARowAreNarrower) {
  expect_period(large_rans(64 * (61 * 100 + 17), 70));
}

// Where all tiles are whole, tiles are repeated in their order, and memory can map them as they are: a tile
// among them makes their bytes whole pages.
TEST(LargeRans, RepeatsTilesInWholePages) {
  const Case large = large_rans(64 * (61 * 100 + 17), 64 * 5);
  expect_period(large);
  const Problem problem = make_large_problem(find_operation("rans_gemm"), large);
  const Tensor& data = input(problem, "data");
  EXPECT_TRUE(data.repeated);
  EXPECT_EQ(data.data.size() % 4096, 0U);
  EXPECT_LT(data.data.size(), std::size_t{61} * 64 * 64);
}

}  // namespace
}  // namespace assay::properties
