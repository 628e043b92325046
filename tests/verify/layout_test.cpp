// Where the elements of inputs lie that are told by strides.
#include "harness/verify/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <set>

namespace assay {
namespace {

Tensor numbered(std::vector<std::size_t> shape) {
  Tensor tensor = make_tensor("x", DType::u32, std::move(shape));
  for (std::size_t i = 0; i < tensor.element_count(); ++i)
    tensor.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(i);
  return tensor;
}

TEST(Layout, RowContiguousIsOneBehindTheOther) {
  const Layout layout = row_contiguous({2, 3, 5});
  EXPECT_EQ(layout.strides, (std::vector<std::int64_t>{15, 5, 1}));
  EXPECT_EQ(layout.elements, 30u);
  EXPECT_EQ(row_contiguous({}).elements, 1u);
}

// Whatever is drawn: elements come back, lie inside, and two that differ lie apart.
RC_GTEST_PROP(Layout, EveryDrawnLayoutHoldsTheTensor, ()) {
  const auto axes = *rc::gen::inRange<std::size_t>(0, 5);
  const auto shape = *rc::gen::container<std::vector<std::size_t>>(axes, rc::gen::inRange<std::size_t>(1, 7));
  Tensor tensor = numbered(shape);
  if (*rc::gen::arbitrary<bool>()) {
    for (auto& value : tensor.as<std::uint32_t>()) value = 7;
  }
  const Layout layout = drawn_layout(tensor, *rc::gen::arbitrary<std::uint64_t>());
  const auto buffer = laid_out(tensor, layout);
  RC_ASSERT(buffer.size() == layout.elements * 4);
  RC_ASSERT(gathered(layout, 4, buffer) == tensor.data);
  for (std::size_t i = 0; i < tensor.element_count(); ++i) RC_ASSERT(layout.place(i) < layout.elements);
}

// A kernel that assumes rows behind one another, or no gaps, must meet what it does not expect.
TEST(Layout, SeedsReachEveryKind) {
  const Tensor tensor = numbered({3, 4});
  std::set<std::vector<std::int64_t>> strides;
  for (std::uint64_t seed = 0; seed < 200; ++seed) strides.insert(drawn_layout(tensor, seed).strides);
  EXPECT_TRUE(strides.contains({4, 1}));  // as it is
  EXPECT_TRUE(strides.contains({1, 3}));  // the other way round
  EXPECT_TRUE(strides.contains({5, 1}));  // part of a wider array
  EXPECT_TRUE(strides.contains({8, 2}));  // every second element
  Tensor equal = tensor;
  for (auto& value : equal.as<std::uint32_t>()) value = 7;
  bool broadcast = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    broadcast |= drawn_layout(equal, seed).strides == std::vector<std::int64_t>{0, 0};
  EXPECT_TRUE(broadcast);
}

TEST(Layout, BroadcastKeepsAxesThatDiffer) {
  Tensor rows = numbered({2, 3});
  for (std::size_t i = 0; i < 6; ++i) rows.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(i % 3);
  std::set<std::vector<std::int64_t>> strides;
  for (std::uint64_t seed = 0; seed < 200; ++seed) strides.insert(drawn_layout(rows, seed).strides);
  EXPECT_TRUE(strides.contains({0, 1}));
  EXPECT_FALSE(strides.contains({0, 0}));
}

TEST(Layout, WhatLiesBetweenElementsIsNaN) {
  Tensor tensor = make_tensor("x", DType::f32, {2, 2});
  Layout layout = row_contiguous({2, 2});
  layout.strides = {3, 1};
  layout.elements = 5;
  const auto buffer = laid_out(tensor, layout);
  float between = 0;
  std::memcpy(&between, buffer.data() + 8, sizeof between);
  EXPECT_NE(between, between);
}

}  // namespace
}  // namespace assay
