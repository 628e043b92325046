#include "assay/tensor.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace assay {
namespace {

constexpr DType kAll[] = {DType::u8, DType::u16, DType::u32, DType::i32, DType::f16, DType::f32, DType::f64};

TEST(Tensor, ElementSizesAndNamesOfAllTypes) {
  const std::size_t sizes[] = {1, 2, 4, 4, 2, 4, 8};
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < std::size(kAll); ++i) {
    EXPECT_EQ(size_of(kAll[i]), sizes[i]) << name_of(kAll[i]);
    names.insert(name_of(kAll[i]));
  }
  EXPECT_EQ(names.size(), std::size(kAll));
}

TEST(Tensor, ANewOneIsZeroFilledAndAsLargeAsItsShape) {
  const Tensor tensor = make_tensor("W", DType::f32, {3, 5});
  EXPECT_EQ(tensor.element_count(), 15U);
  ASSERT_EQ(tensor.as<float>().size(), 15U);
  for (const float element : tensor.as<float>()) EXPECT_EQ(element, 0.0F);
}

TEST(Tensor, EmptyShapeIsAScalarAndAZeroExtentIsNoElement) {
  EXPECT_EQ(make_tensor("x", DType::f64, {}).data.size(), 8U);
  EXPECT_EQ(make_tensor("x", DType::f64, {4, 0, 4}).data.size(), 0U);
}

TEST(Tensor, AShapeWhoseBytesOverflowIsRefusedByName) {
  for (const std::vector<std::size_t>& shape :
       {std::vector<std::size_t>{std::size_t{1} << 32, std::size_t{1} << 32}, {std::size_t{1} << 61}}) {
    try {
      make_tensor("huge", DType::f64, shape);
      ADD_FAILURE() << "was made";
    } catch (const std::length_error& error) {
      EXPECT_NE(std::string(error.what()).find("huge"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace assay
