// Laws: no right answer breaks one, and each rejects a wrong kernel by itself; for every operation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "properties/cases/axes.hpp"
#include "tests/properties/law_kernels.hpp"

namespace assay::properties::laws {
namespace {

using testing::broken_by;
using testing::wavering;

class LawsOf : public ::testing::TestWithParam<std::string> {
 protected:
  const Operation& operation = find_operation(GetParam());
};

std::vector<std::string> operations_with_laws() {
  std::vector<std::string> names = operation_names();
  std::erase_if(names, [](const auto& name) { return laws_of(find_operation(name)).empty(); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Operations, LawsOf, ::testing::ValuesIn(operations_with_laws()),
                         [](const auto& info) { return info.param; });

// Whatever order a kernel sums in, and however it varies that from place to place: no false alarm. And none
// is idle.
TEST_P(LawsOf, NoRightAnswerBreaksOne) {
  std::map<std::string, std::size_t> asked;
  broken_by(operation, wavering(operation), 60, &asked);
  for (const auto& [law, claims] : asked) EXPECT_GT(claims, 0u) << law;
}

TEST_P(LawsOf, EachRejectsAKernelByItself) {
  const auto confused = [right = wavering(operation)](const Problem& problem) {
    auto outputs = right(problem);
    std::uint32_t sum = 0;  // one element follows from the order of the bytes alone
    for (const Tensor& input : problem.inputs) {
      for (const std::byte byte : input.data) sum = sum * 31 + std::to_integer<std::uint32_t>(byte);
    }
    testing::put(outputs[0], 0, sum % 61 + 1);
    return outputs;
  };
  for (const auto& [law, cases] : broken_by(operation, confused, 60)) EXPECT_GT(cases, 0) << law;
}

TEST_P(LawsOf, NamesWhatItIsLinearIn) {
  std::vector<std::string> names = operation.declaration().factors;
  for (const Number& number : operation.declaration().numbers) names.push_back(number.name);
  for (const std::string& name : names) {
    const TensorSpec* const spec = find_named(operation.declaration().tensors, name);
    ASSERT_NE(spec, nullptr) << name;
    EXPECT_EQ(spec->role, Role::input) << name;
    EXPECT_TRUE(spec->dtype == DType::f16 || spec->dtype == DType::f32) << name;
  }
}

TEST(Laws, AreKnownOfAllOperationsButThoseWithNothingToMove) {
  std::set<std::string> without;
  for (const std::string& name : operation_names()) {
    if (laws_of(find_operation(name)).empty()) without.insert(name);
  }
  EXPECT_EQ(without, (std::set<std::string>{"rans_decode", "zero_reduction"}));
}

TEST(Axes, AreReadOffShapes) {
  const auto axis = [](const char* operation, const char* tensor, const char* dimension) {
    const OperationDeclaration& declaration = find_operation(operation).declaration();
    Dims dims = {{"M", 70},   {"N", 33},       {"K", 100},      {"group_size", 24},
                 {"bits", 3}, {"n_levels", 5}, {"parallel", 2}, {"threadgroups", 1}};
    return axis_of(*find_named(declaration.tensors, tensor), dims, dimension);
  };
  const auto is = [](const Axis& axis, std::size_t place, std::size_t block) {
    return axis.kind == Axis::Kind::along && axis.axis == place && axis.block == block;
  };
  EXPECT_TRUE(is(axis("gemm_fp4", "A", "K"), 1, 1));
  EXPECT_TRUE(is(axis("gemm_fp4", "B", "K"), 0, 8));
  EXPECT_TRUE(is(axis("gemm_fp4", "scales", "K"), 0, 24));
  EXPECT_TRUE(is(axis("gemm_trellis", "packed_indices", "N"), 1, 16));
  EXPECT_EQ(axis("gemm_fp4", "B", "M").kind, Axis::Kind::none);
  EXPECT_EQ(axis("gemm_fp4_striped", "counters", "M").kind, Axis::Kind::along);  // N=33: one tile across
  Dims wide = {{"M", 70}, {"N", 65}};
  EXPECT_EQ(
      axis_of(*find_named(find_operation("gemm_fp4_striped").declaration().tensors, "counters"), wide, "M")
          .kind,
      Axis::Kind::mixed);
}

}  // namespace
}  // namespace assay::properties::laws
