// Dimensions from shapes: of every operation, found again from the shapes of its problems, or said to be
// open.
#include "properties/cases/infer_dims.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

#include "properties/cases/operation.hpp"
#include "properties/cases/search.hpp"

namespace assay::properties {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::vector<StoredShape> shapes_of(const Problem& problem) {
  std::vector<StoredShape> shapes;
  for (const Tensor& tensor : problem.inputs) shapes.push_back({tensor.name, tensor.shape});
  return shapes;
}

std::vector<std::string> names(const InferredDims& inferred) {
  std::vector<std::string> all;
  for (const OpenDimension& one : inferred.open) all.push_back(one.name);
  return all;
}

InferredDims infer(const char* operation, const std::vector<StoredShape>& shapes, const Dims& given = {}) {
  return infer_dims(find_operation(operation).declaration(), shapes, given);
}

class EveryOperation : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Operations, EveryOperation, testing::ValuesIn(operation_names()),
                         [](const auto& of) { return of.param; });

// What is inferred is right; what is not is open; and with the open ones given the problem is whole.
TEST_P(EveryOperation, HasTheDimensionsOfItsProblemsOrSaysThatTheyAreOpen) {
  const Operation& operation = find_operation(GetParam());
  const auto space = operation.cases({.tile = {64, 64, 32}, .requirements = {}, .arithmetic = {}},
                                     {.largest = 1 << 16, .least = 1 << 12, .longest = 0});
  for (std::uint64_t index = 0; index < 40; ++index) {
    const Case drawn = case_at(space, 7, index);
    const auto shapes = shapes_of(operation.make_problem(drawn));
    const auto inferred = infer_dims(operation.declaration(), shapes, {});
    for (const auto& [name, value] : inferred.dims)
      EXPECT_EQ(value, dim(drawn.dims, name)) << name << " " << drawn;
    Dims given;
    for (const OpenDimension& one : inferred.open) given[one.name] = dim(drawn.dims, one.name);
    EXPECT_EQ(infer_dims(operation.declaration(), shapes, given).dims, drawn.dims) << drawn;
  }
}

TEST(InferDims, SizesAreAxesAndChoicesFollowWhereOneValueSuits) {
  const auto inferred = infer("gemm_trellis", {{"A", {5, 160}},
                                               {"packed_indices", {10, 5, 96}},
                                               {"scales", {5, 72}},
                                               {"grid", {7}},
                                               {"su", {160}},
                                               {"sv", {72}}});
  EXPECT_THAT(names(inferred), IsEmpty());
  EXPECT_EQ(inferred.dims,
            (Dims{{"M", 5}, {"N", 72}, {"K", 160}, {"group_size", 32}, {"bits", 3}, {"n_levels", 7}}));
}

// One group may be of any size from K on.
TEST(InferDims, SeveralValuesThatSuitLeaveADimensionOpen) {
  const auto inferred = infer("dequantize_fp4", {{"B", {2, 7}}, {"scales", {1, 7}}}, {{"K", 12}});
  ASSERT_THAT(names(inferred), ElementsAre("group_size"));
  EXPECT_THAT(inferred.open[0].fits, ElementsAre(16, 24, 32));
}

TEST(InferDims, WhatNoShapeTellsIsOpen) {
  const auto inferred = infer("rans_decode", {{"freq", {6, 16}},
                                              {"stream_offset", {6, 8}},
                                              {"n_symbols", {6}},
                                              {"checksums", {6, 8}},
                                              {"data", {4764}}});
  EXPECT_THAT(names(inferred), ElementsAre("M", "N", "tile_rows", "tile_cols"));
  EXPECT_EQ(inferred.dims, (Dims{{"streams", 8}}));
}

TEST(InferDims, ShapesThatContradictEachOtherNameBoth) {
  EXPECT_THAT(
      [] {
        infer("gemm_fp4", {{"A", {5, 64}}, {"B", {8, 24}}, {"scales", {2, 23}}});
      },
      ThrowsMessage<std::invalid_argument>(
          AllOf(HasSubstr("tensor scales: shape: [2, 23] makes N 23"), HasSubstr("B [8, 24] makes it 24"))));
}

TEST(InferDims, AShapeThatNoValueSuitsSaysWhatItFollowsFrom) {
  EXPECT_THAT(
      [] {
        infer("gemm_fp4", {{"A", {5, 64}}, {"B", {8, 24}}, {"scales", {9, 24}}});
      },
      ThrowsMessage<std::invalid_argument>(
          AllOf(HasSubstr("tensor scales: shape: [9, 24] suits no group_size up to"),
                HasSubstr("beside K=64"), HasSubstr("it is [(K, group_size), N]"))));
}

// Shapes divide by dimensions, and a file may say any.
TEST(InferDims, DimensionsThatAreNoneAreRefusedBeforeAnyShapeIsAskedFor) {
  EXPECT_THAT(
      [] {
        infer("rans_gemv", {{"x", {0}}, {"freq", {2, 16}}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("tensor x: shape: [0] makes N 0, must be from 1 to")));
  EXPECT_THAT(
      [] {
        infer("rans_gemv", {{"x", {std::size_t{1} << 63}}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("makes N 9223372036854775808")));
  for (const std::int64_t group_size :
       {std::int64_t{0}, std::int64_t{-8}, std::int64_t{12}, std::int64_t{1} << 40}) {
    EXPECT_THAT(
        [=] {
          infer("gemm_fp4", {{"A", {5, 64}}}, {{"group_size", group_size}});
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("must be a positive multiple of 8")));
  }
  EXPECT_THAT(
      [] {
        infer("gemm_fp4", {}, {{"bits", 4}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("bits=4: gemm_fp4 has no such dimension; it has M, N")));
}

TEST(InferDims, AnotherNumberOfAxesIsRefused) {
  EXPECT_THAT(
      [] {
        infer("gemm_fp4", {{"A", {320}}, {"B", {8, 24}}});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("tensor A: shape: [320] has 1 axes, must have 2: [M, K]")));
}

}  // namespace
}  // namespace assay::properties
