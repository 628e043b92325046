// What a threadgroup stores, read off the grid: held against the shapes of outputs, and refused where a grid
// says nothing of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "properties/cases/axes.hpp"
#include "properties/large/share.hpp"
#include "tests/large/entries.hpp"

namespace assay::properties {
namespace {

using testing::gemm_entry;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const Operation& gemm() { return find_operation("gemm_fp4"); }
Dims dims_of(std::int64_t M, std::int64_t N) { return {{"M", M}, {"N", N}, {"K", 40}, {"group_size", 8}}; }

TEST(Share, OfTilesRowsAndElements) {
  const auto tiles = Share::of(gemm_entry("\"tiles\""), gemm(), dims_of(130, 70));
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->threadgroups(), (device::Size3{3, 3, 1}));
  EXPECT_THAT(tiles->of_threadgroup({1, 2, 0}),
              UnorderedElementsAre(Pair("N", Range{32, 64}), Pair("M", Range{128, 130})));
  EXPECT_EQ(tiles->storing({{"M", 129}, {"N", 31}}), (device::Size3{0, 2, 0}));

  const auto rows = Share::of(gemm_entry("\"rows\""), gemm(), dims_of(5, 70));
  ASSERT_TRUE(rows);
  EXPECT_THAT(rows->of_threadgroup({4, 0, 0}), UnorderedElementsAre(Pair("M", Range{4, 5})));

  // 128 threads of a row: the last of three threadgroups has 44 columns.
  const auto elements = Share::of(gemm_entry("\"elements\""), gemm(), dims_of(5, 300));
  ASSERT_TRUE(elements);
  EXPECT_EQ(elements->threadgroups(), (device::Size3{3, 5, 1}));
  EXPECT_THAT(elements->of_threadgroup({2, 3, 0}),
              UnorderedElementsAre(Pair("N", Range{256, 300}), Pair("M", Range{3, 4})));
}

TEST(Share, OfListsThatCutOneDimensionASide) {
  const auto swapped = Share::of(gemm_entry("[1, \"ceil(N / 48)\", \"M\"]"), gemm(), dims_of(7, 100));
  ASSERT_TRUE(swapped);
  EXPECT_THAT(swapped->of_threadgroup({0, 2, 6}),
              UnorderedElementsAre(Pair("N", Range{96, 100}), Pair("M", Range{6, 7})));
}

TEST(Share, IsNotGuessed) {
  for (const char* grid : {"[\"ceil(M / 64) * ceil(N / 32)\", 1, 1]",  // tiles in a row: in which order?
                           "[\"ceil(K / 16)\", 1, 1]",                 // slices of a sum
                           "[\"M\", \"M\", 1]", "[7, 1, 1]", "[\"ceil((N + 5) / 32)\", \"M\", 1]"}) {
    EXPECT_FALSE(Share::of(gemm_entry(grid), gemm(), dims_of(130, 70))) << grid;
  }
}

TEST(Share, OfLaunchesBeyondAnyGridIsNone) {
  EXPECT_FALSE(Share::of(gemm_entry("\"tiles\""), gemm(), dims_of(1 << 24, 1 << 24)));
}

// Every element of every output that has the axes belongs to exactly one threadgroup.
TEST(Share, OfOurKernelsIsTheWholeOutputOnce) {
  int shared = 0;
  for (const KernelEntry& entry : testing::our_kernels()) {
    const Operation& operation = find_operation(entry.operation);
    Dims dims;
    std::int64_t size = 37;
    for (const Dimension& one : operation.declaration().dimensions)
      dims[one.name] = one.is_choice() ? one.choices.back() : (size += 32);
    const auto share = Share::of(entry, operation, dims);
    if (!share) continue;
    ++shared;
    for (const Count& count : operation.declaration().counts) dims[count.name] = 1;
    const TensorSpec* output = nullptr;
    for (const TensorSpec& spec : operation.declaration().tensors) {
      if (spec.role == Role::output && output == nullptr) output = &spec;
    }
    ASSERT_NE(output, nullptr);
    const auto shape = output->shape(dims);
    std::size_t elements = 1;
    for (const std::size_t side : shape) elements *= side;
    std::map<std::size_t, int> stored;
    const device::Size3 grid = share->threadgroups();
    for (std::uint32_t i = 0; i < grid.x * grid.y * grid.z; ++i) {
      const Part part = share->of_threadgroup({i % grid.x, i / grid.x % grid.y, i / grid.x / grid.y});
      for (std::size_t element = 0; element < elements; ++element) {
        bool inside = true;
        for (const auto& [dimension, range] : part) {
          const Axis axis = axis_of(*output, dims, dimension);
          const std::size_t at = index_along(element, axis.axis, shape) * axis.block;
          inside &= range.begin <= at && at < range.end;
        }
        stored[element] += inside ? 1 : 0;
      }
    }
    for (const auto& [element, times] : stored) ASSERT_EQ(times, 1) << entry.name << " element " << element;
  }
  EXPECT_GE(shared, 22);
}

}  // namespace
}  // namespace assay::properties
