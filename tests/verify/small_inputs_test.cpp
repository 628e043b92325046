#include "harness/verify/small_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace assay {
namespace {

template <class T>
Tensor tensor(std::string name, DType dtype, std::vector<std::size_t> shape, const std::vector<T>& values) {
  Tensor made = make_tensor(std::move(name), dtype, std::move(shape));
  std::copy(values.begin(), values.end(), made.as<T>().begin());
  return made;
}

std::vector<std::string> values_of(Tensor one) {
  Problem problem;
  problem.inputs = {std::move(one)};
  const auto inputs = small_inputs(problem);
  return inputs.empty() ? std::vector<std::string>{} : inputs.front().values;
}

using Values = std::vector<std::string>;

TEST(SmallInputs, ValuesAreReadByTheirType) {
  EXPECT_EQ(values_of(tensor<std::uint16_t>("A", DType::f16, {2, 2}, {0x3C00, 0xC100, 0x7C00, 0xFE00})),
            (Values{"1", "-2.5", "inf", "NaN"}));
  EXPECT_EQ(values_of(tensor<float>("scale", DType::f32, {1}, {0.1f})), Values{"0.1"});
  EXPECT_EQ(values_of(tensor<std::int8_t>("W", DType::i8, {2}, {-71, 127})), (Values{"-71", "127"}));
  EXPECT_EQ(values_of(tensor<std::int32_t>("bias", DType::i32, {1}, {-2'147'483'647})),
            Values{"-2147483647"});
}

// Guards against packed words that are shown as numbers of ten digits.
TEST(SmallInputs, PackedWordsAreHexadecimal) {
  EXPECT_EQ(values_of(tensor<std::uint32_t>("B", DType::u32, {2}, {0x5u, 0x8000'0001u})),
            (Values{"0x00000005", "0x80000001"}));
  EXPECT_EQ(values_of(tensor<std::uint32_t>("ids", DType::u32, {2}, {0u, 9999u})), (Values{"0", "9999"}));
  EXPECT_EQ(values_of(tensor<std::uint8_t>("packed", DType::u8, {1}, {0xFE})), Values{"254"});
}

TEST(SmallInputs, LargerOnesAreNamedAloneAndNothingIsSaidIfAllAre) {
  Problem problem;
  problem.inputs = {make_tensor("A", DType::f16, {1, 1}), make_tensor("B", DType::f32, {1, 17})};
  const auto inputs = small_inputs(problem);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].values, Values{"0"});
  EXPECT_EQ(inputs[1].tensor, "B");
  EXPECT_TRUE(inputs[1].values.empty());
  EXPECT_EQ(inputs[1].elements(), 17u);
  problem.inputs.erase(problem.inputs.begin());
  EXPECT_TRUE(small_inputs(problem).empty());
}

TEST(SmallInputs, ThePatternOfARepeatedTensorIsNotShown) {
  Tensor repeated = make_tensor("A", DType::f16, {4});
  repeated.data.resize(2);
  repeated.repeated = true;
  EXPECT_TRUE(values_of(repeated).empty());
}

}  // namespace
}  // namespace assay
