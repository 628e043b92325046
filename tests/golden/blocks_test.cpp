// Answers that are worked out a block at a time are those of the whole problem, whichever blocks there are.
#include "golden/blocks.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "harness/verify/report.hpp"
#include "properties/cases/search.hpp"

namespace assay::golden {
namespace {

/// The tensors of all outputs, put together from their blocks.
std::map<std::string, std::vector<std::byte>> tensors_by(const properties::Operation& operation,
                                                         const Problem& problem, const Blocks& blocks) {
  std::vector<std::vector<BlockAnswer>> all;
  Kept kept;
  for (std::size_t i = 0; i < blocks.ranges.size(); ++i) {
    all.push_back(solve_block(operation, problem, {}, blocks, i));
    for (const BlockAnswer& one : all.back()) kept = kept.with(one.kept());
  }
  std::map<std::string, std::vector<std::byte>> tensors;
  for (const auto& answers : all) {
    for (const BlockAnswer& one : answers) {
      for (const TensorLayout& layout : layout_of(one.whole, kept)) {
        const Tensor empty = assay::make_tensor(layout.name, layout.dtype, layout.shape);
        tensors.try_emplace(layout.name, empty.data.size(), std::byte{0xA5});
      }
      one.each_run(kept, [&](const std::string& name, std::size_t first, std::span<const std::byte> bytes) {
        auto& tensor = tensors.at(name);
        const std::size_t count = one.whole.shape.empty() ? 1 : one.block.shape[one.axis];
        EXPECT_GT(count, 0U);
        std::size_t elements = 1;
        for (const std::size_t extent : one.whole.shape) elements *= extent;
        const std::size_t size = tensor.size() / elements;
        ASSERT_LE(first * size + bytes.size(), tensor.size());
        std::memcpy(tensor.data() + first * size, bytes.data(), bytes.size());
      });
    }
  }
  return tensors;
}

class BlocksOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Operations, BlocksOf, testing::ValuesIn(properties::operation_names()),
                         [](const auto& info) { return info.param; });

// Cut into the smallest blocks, into middling ones and not at all.
TEST_P(BlocksOf, GiveWhatTheWholeProblemGives) {
  const auto& operation = properties::find_operation(GetParam());
  const auto space = operation.cases({.tile = {64, 64, 32}, .requirements = {}, .arithmetic = {}},
                                     {.largest = 1 << 14, .least = 1 << 10, .longest = 0});
  std::size_t cut = 0;
  for (std::uint64_t i = 0; i < 24; ++i) {
    const Problem problem = operation.make_problem(properties::case_at(space, 5, i));
    const auto whole = tensors_by(operation, problem, {});
    for (const std::size_t elements : {std::size_t{1}, std::size_t{200}}) {
      const Blocks blocks = blocks_of(operation, problem, elements);
      cut += blocks.ranges.size() > 1 ? 1 : 0;
      EXPECT_TRUE(tensors_by(operation, problem, blocks) == whole)
          << assay::to_text(problem.dims) << " " << blocks.dimension;
    }
  }
  if (operation.declaration().has_plain_tensors()) {
    EXPECT_GT(cut, 8U);
  }
}

// A [64, 256] is in all blocks of columns: each is to be twice as large, 2 x 64 x 256 / (2 x 256 + 64) = 56
// columns or a little less, so that there are as many for each of two processes. The first, which one process
// solves alone, is short.
TEST(Blocks, AreLargerThanWhatTheyShareAndAnEvenNumberBehindAShortOne) {
  const auto& operation = properties::find_operation("gemm_fp4");
  const Problem problem = operation.make_problem(
      properties::parse_line("operation=gemm_fp4 K=256 M=64 N=600 group_size=128 regime=random seed=1"));
  const Blocks blocks = blocks_of(operation, problem, 1);
  EXPECT_EQ(blocks.dimension, "N");
  ASSERT_EQ(blocks.ranges.size(), 13U);
  EXPECT_EQ(blocks.ranges[0].begin, 0U);
  EXPECT_EQ(blocks.ranges[0].end, 7U);
  for (std::size_t i = 1; i < blocks.ranges.size(); ++i) {
    EXPECT_EQ(blocks.ranges[i].begin, blocks.ranges[i - 1].end);
    EXPECT_EQ(blocks.ranges[i].end, std::min<std::size_t>(blocks.ranges[i].begin + 50, 600));
  }
}

// What takes less time and memory says the same, bit for bit.
TEST_P(BlocksOf, ExactOutputsAreTheExpectedOnes) {
  const auto& operation = properties::find_operation(GetParam());
  const auto space = operation.cases({.tile = {64, 64, 32}, .requirements = {}, .arithmetic = {}},
                                     {.largest = 1 << 13, .least = 1 << 10, .longest = 0});
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Problem problem = operation.make_problem(properties::case_at(space, 6, i));
    const auto exact = operation.exact_outputs(problem, {});
    if (!exact) {  // those of which it can be known say so
      EXPECT_THAT(GetParam(), testing::Not(testing::StartsWith("dequantize_")));
      return;
    }
    const auto expected = operation.expect(problem, {});
    ASSERT_EQ(exact->size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const auto tensors = tensors_of(expected[j], problem.outputs[j], kept_of(expected[j]));
      ASSERT_EQ(tensors.size(), 1U);
      EXPECT_EQ((*exact)[j].tensor.data, tensors[0].data);
      EXPECT_EQ((*exact)[j].expected.bound, expected[j].bound);
      EXPECT_EQ((*exact)[j].expected.signed_zero, expected[j].signed_zero);
    }
  }
}

}  // namespace
}  // namespace assay::golden
