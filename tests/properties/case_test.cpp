// Lines of cases: what a failure prints must come back as the same case.
#include "properties/cases/case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/cases/generator.hpp"
#include "properties/cases/search.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

RC_GTEST_PROP(CaseLine, ParsesBackForEveryOperation, ()) {
  const std::string name = *rc::gen::elementOf(operation_names());
  const Case test_case = *generator_of(find_operation(name).cases(testing::common_tile()));
  RC_ASSERT(parse_line(to_line(test_case)) == test_case);
  RC_ASSERT(to_line(test_case).find('\n') == std::string::npos);
}

TEST(CaseLine, IsStable) {
  Case test_case = testing::gemm_case(1, 8, 33, 16, "probe", 17);
  test_case.knobs["first"] = 3;
  EXPECT_EQ(to_line(test_case),
            "operation=gemm_fp4 K=33 M=1 N=8 group_size=16 regime=probe knob.first=3 seed=17");
}

TEST(CaseLine, HoldsABudgetOtherThanTheOrdinaryOne) {
  Case test_case = testing::gemm_case(1, 8, 33, 16, "random", 17);
  test_case.budget = 40;
  EXPECT_EQ(to_line(test_case),
            "operation=gemm_fp4 K=33 M=1 N=8 group_size=16 regime=random seed=17 budget=40");
  EXPECT_EQ(parse_line(to_line(test_case)), test_case);
  for (const char* bad : {"0", "1000001", "-1", "x", ""}) {
    EXPECT_THROW(parse_line(std::string("operation=x regime=y seed=1 budget=") + bad), std::invalid_argument)
        << bad;
  }
}

TEST(CaseLine, SaysAScheduleThatDoesNotFollowFromTheSeed) {
  Case test_case = testing::gemm_case(1, 8, 33, 16, "probe", 17);
  test_case.schedule = "0x3.1:2";
  EXPECT_THAT(to_line(test_case), ::testing::EndsWith(" seed=17 schedule=0x3.1:2"));
  EXPECT_EQ(parse_line(to_line(test_case)), test_case);
  EXPECT_NO_THROW(find_operation("gemm_fp4").check_case(test_case));
  test_case.schedule = "0x3.1-2";
  EXPECT_THAT([&] { find_operation("gemm_fp4").check_case(test_case); },
              ThrowsMessage<std::invalid_argument>(StartsWith("schedule: ")));
}

TEST(CaseLine, TakesFieldsInAnyOrderAndTheLargestSeed) {
  const Case test_case = parse_line("seed=18446744073709551615  regime=exact\tK=1 operation=x");
  EXPECT_EQ(test_case.seed, 18446744073709551615ULL);
  EXPECT_EQ(test_case.dims, (Dims{{"K", 1}}));
}

TEST(CaseLine, SplitsQuotedValuesOfOtherKeys) {
  EXPECT_THAT(
      split_fields(R"(manifest="my \"odd\" file.toml" mode=fast)"),
      ::testing::ElementsAre(std::pair("manifest", "my \"odd\" file.toml"), std::pair("mode", "fast")));
}

TEST(CaseLine, NamesTheKeyOfAnError) {
  const auto parse = [](const char* line) { return [line] { parse_line(line); }; };
  EXPECT_THAT(parse("operation=x regime=y seed=1 K=3x"),
              ThrowsMessage<std::invalid_argument>(StartsWith("K=3x")));
  EXPECT_THAT(parse("operation=x regime=y seed=-1"),
              ThrowsMessage<std::invalid_argument>(StartsWith("seed=-1")));
  EXPECT_THAT(parse("operation=x regime=y seed=1 K=99999999999999999999"),
              ThrowsMessage<std::invalid_argument>(StartsWith("K=")));
  EXPECT_THAT(parse("operation=x regime=y"),
              ThrowsMessage<std::invalid_argument>(StartsWith("seed: missing")));
  EXPECT_THAT(parse("operation=x seed=1"),
              ThrowsMessage<std::invalid_argument>(StartsWith("regime: missing")));
  EXPECT_THAT(parse("regime=x seed=1"),
              ThrowsMessage<std::invalid_argument>(StartsWith("operation: missing")));
  EXPECT_THAT(parse("operation=x regime=y seed=1 seed=2"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("seed: given twice")));
  EXPECT_THAT(parse("operation=x regime=y seed=1 loose"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("loose")));
  EXPECT_THAT(parse("operation=x regime=y seed=1 =3"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("key=value")));
}

}  // namespace
}  // namespace assay::properties
