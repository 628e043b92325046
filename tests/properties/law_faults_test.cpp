// Which faults of a product which laws reject, and what they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "tests/properties/law_kernels.hpp"
#include "tests/properties/model_kernel.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties::laws {
namespace {

using properties::testing::gemm_case;
using properties::testing::ModelKernel;
using testing::broken_by;
using testing::entry_of;
using ::testing::HasSubstr;
using testing::Kernel;

/// A kernel of gemm_fp4.
Kernel kernel_of(const ModelKernel& model) {
  return [model](const Problem& problem) {
    const auto C = model.gemm(problem);
    Tensor output = assay::make_tensor("C", DType::f16, problem.outputs[0].shape);
    std::copy(C.begin(), C.end(), output.as<std::uint16_t>().begin());
    return std::vector{output};
  };
}

const Operation& gemm() { return find_operation("gemm_fp4"); }

std::set<std::string> laws_broken(const std::function<void(ModelKernel&)>& spoil) {
  ModelKernel model;
  spoil(model);
  std::set<std::string> names;
  for (const auto& [law, cases] : broken_by(gemm(), kernel_of(model), 60)) {
    if (cases > 0) names.insert(law);
  }
  return names;
}

// The faults that each law is there for; and what no law can see, for the kernel is a right one of other
// weights.
TEST(Laws, RejectTheirFaults) {
  EXPECT_EQ(laws_broken([](auto&) {}), std::set<std::string>{});
  EXPECT_EQ(laws_broken([](auto& k) { k.backwards = true; }), std::set<std::string>{});
  EXPECT_EQ(
      laws_broken([](auto& k) { k.value = [](unsigned code) { return reference::fp4_value(code ^ 8); }; }),
      std::set<std::string>{});
  const auto masked = laws_broken([](auto& k) {
    k.store = [](double x) { return std::isnan(x) ? std::uint16_t{0} : reference::half_from_double(x); };
  });
  EXPECT_TRUE(masked.contains("nan-A") && masked.contains("nan-scales") && !masked.contains("permute-M"));
  EXPECT_TRUE(laws_broken([](auto& k) {
                k.row = [](std::size_t m, std::size_t) { return m - m % 2; };
              }).contains("permute-M"));
  EXPECT_TRUE(laws_broken([](auto& k) {
                k.row = [](std::size_t m, std::size_t M) { return m == M - 1 ? std::size_t{0} : m; };
              }).contains("split-M"));
  EXPECT_TRUE(laws_broken([](auto& k) {
                k.column = [](std::size_t n, std::size_t) { return n - n % 2; };
              }).contains("duplicate-N"));
  EXPECT_TRUE(laws_broken([](auto& k) {
                k.group = [](std::size_t k, std::size_t, std::size_t rows) {
                  return std::min(k / 8, rows - 1);
                };
              }).contains("permute-K"));
  EXPECT_TRUE(laws_broken([](auto& k) {
                k.terms = [](std::size_t K) { return K > 8 ? K - 1 : K; };
              }).contains("join-K"));
  EXPECT_TRUE(
      laws_broken([](auto& k) { k.scale = [](double s) { return s + 0.25; }; }).contains("scale-scales"));
  EXPECT_TRUE(
      laws_broken([](auto& k) { k.scale = [](double s) { return s + 0.25; }; }).contains("zero-scales-N"));
}

TEST(Laws, SayWhichElementsDoNotHold) {
  ModelKernel model;
  model.row = [](std::size_t m, std::size_t) { return m == 1 ? std::size_t{0} : m; };
  const auto result = testing::check_law(find_law(gemm(), "split-M"), gemm(), entry_of(gemm()),
                                         gemm_case(2, 1, 8, 8, "exact", 3), kernel_of(model));
  EXPECT_EQ(result.outcome.verdict, Verdict::law_broken);
  EXPECT_THAT(result.outcome.summary, HasSubstr("law split-M: C[0,0] of launch 2 is "));
  EXPECT_THAT(result.outcome.summary, HasSubstr(" and must be C[1,0] of the case, which is "));
  EXPECT_THAT(result.outcome.summary, HasSubstr("; the law fails at 1 of 2 elements"));
  EXPECT_THAT(result.details, HasSubstr("cut in two at M = 1"));
  EXPECT_THAT(result.details, HasSubstr("launch 2: M=1 N=1 K=8"));
}

TEST(Laws, CutOnlyWhereTheKernelTakesBothPieces) {
  KernelEntry entry = entry_of(gemm());
  entry.requirements["N"].multiple = 8;
  const auto lengths = [&](std::int64_t N) {
    const Problem problem = gemm().make_problem(gemm_case(1, N, 8, 8, "exact", 3));
    const auto experiment =
        find_law(gemm(), "split-N").experiment({gemm(), entry, problem, Draw(1, "split-N")});
    return experiment ? dim(experiment->problems[0].dims, "N") : 0;
  };
  EXPECT_EQ(lengths(16), 8);
  EXPECT_EQ(lengths(8), 0);
}

TEST(Laws, UnknownNameListsThem) {
  try {
    find_law(gemm(), "permute-Q");
    FAIL();
  } catch (const std::invalid_argument& unknown) {
    EXPECT_THAT(unknown.what(), HasSubstr("law=permute-Q: gemm_fp4 has scale-A, scale-scales, permute-M"));
  }
}

}  // namespace
}  // namespace assay::properties::laws
