// Plans of operations that a manifest states: each two sizes of a tensor so long that their product leaves 16
// bits, which neither does by itself.
#include "properties/large/product_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/verify/compare.hpp"
#include "properties/cases/operation.hpp"
#include "properties/stated/patterns.hpp"

namespace assay::properties {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

/// Experts of N rows and K columns, of which each of T tokens takes one.
KernelEntry experts(const std::string& requires_line = "", const std::string& ids = "",
                    const std::string& type = "half") {
  return parse_manifest(
             "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\narguments = [\"w\", \"ids\", \"y\"]\n"
             "threads_per_threadgroup = 64\ngrid = [\"N\", \"T\", 1]\n"
             "dimensions = [{ name = \"T\", largest = 8 }, { name = \"E\", largest = 8 }, \"N\",\n"
             "  { name = \"K\", reduced = true }, { name = \"S\", values = [1, 300] }]\ntensors = [\n"
             "  { name = \"w\", type = \"" +
                 type +
                 "\", shape = [\"E\", \"N\", \"K\"] },\n"
                 "  { name = \"ids\", type = \"int\", shape = [\"T\"], values = { below = \"E\" }" +
                 ids +
                 " },\n  { name = \"y\", type = \"float\", shape = [\"T * S\", \"N\"], access = \"out\" "
                 "},\n]\n" +
                 requires_line,
             "k.toml")
      .front();
}

WidthPlan products_of(const KernelEntry& entry) { return plan_products(entry, operation_of(entry)); }

const Case* case_of(const WidthPlan& plan, const std::string& one, const std::string& other) {
  const auto found = std::find_if(plan.cases.begin(), plan.cases.end(), [&](const Case& test_case) {
    return dim(test_case.dims, one) > 1 && dim(test_case.dims, other) > 1;
  });
  return found == plan.cases.end() ? nullptr : &*found;
}

TEST(ProductPlan, TakesEachTwoSizesOfATensorPastSixteenBitsTogether) {
  const auto entry = experts();
  const WidthPlan plan = products_of(entry);
  EXPECT_THAT(plan.wanted, UnorderedElementsAre("E x N past 2^15", "E x N past 2^16", "E x K past 2^15",
                                                "E x K past 2^16", "N x K past 2^15", "N x K past 2^16",
                                                "T x N past 2^15", "T x N past 2^16"));
  Coverage reached;
  for (const Case& one : plan.cases) {
    operation_of(entry).check_case(one);
    cover_products(operation_of(entry).declaration(), one.dims, reached);
    // Neither is as long as that by itself, and nothing else is long.
    for (const auto& [name, value] : one.dims) EXPECT_LE(value, 1024) << name;
    EXPECT_LE(
        std::count_if(one.dims.begin(), one.dims.end(), [](const auto& size) { return size.second > 1; }), 2);
  }
  EXPECT_EQ(reached.missing(plan.wanted), std::vector<std::string>{});
}

TEST(ProductPlan, CoversNoProductOfWhichOneSizeIsOne) {
  Coverage reached;
  cover_products(operation_of(experts()).declaration(),
                 {{"T", 1}, {"E", 70'000}, {"N", 1}, {"K", 1}, {"S", 1}}, reached);
  EXPECT_THAT(reached.reached(), IsEmpty());
}

TEST(ProductPlan, LetsOneSizeGrowWhereTheKernelBoundsTheOther) {
  const auto plan = products_of(experts("requires = { E_max = 16 }\n"));
  const Case* const both = case_of(plan, "E", "N");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(dim(both->dims, "E"), 16);
  EXPECT_GT(dim(both->dims, "N"), 65'536 / 16);
}

TEST(ProductPlan, AsksForNoMoreThanTheKernelTakes) {
  const auto plan = products_of(experts("requires = { E_max = 16, N_max = 3000 }\n"));
  EXPECT_THAT(plan.wanted, Contains("E x N past 2^15"));
  EXPECT_THAT(plan.wanted, Not(Contains("E x N past 2^16")));
  const auto less = products_of(experts("requires = { E_max = 16, N_max = 1000 }\n"));
  EXPECT_EQ(case_of(less, "E", "N"), nullptr);
}

// Guards against luck: a token that goes to a small number shows nothing.
TEST(ProductPlan, PointsAtTheLastThatThereIs) {
  const auto entry = experts();
  const WidthPlan plan = products_of(entry);
  const Case* const both = case_of(plan, "E", "N");
  ASSERT_NE(both, nullptr);
  const Problem problem = operation_of(entry).make_problem(*both);
  EXPECT_EQ(decode(input(problem, "ids"), 0), static_cast<double>(dim(both->dims, "E") - 1));
}

TEST(ProductPlan, DrawsIndicesThatMayNotBeExtreme) {
  const auto plan = products_of(experts("", ", never = [\"extremes\"]"));
  const Case* const both = case_of(plan, "E", "N");
  ASSERT_NE(both, nullptr);
  EXPECT_NE(both->regime, kPatterns);
}

}  // namespace
}  // namespace assay::properties
