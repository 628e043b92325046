// What a run reached is there to be read.
#include <gmock/gmock.h>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Coverage, CodesNibblesEdgesAndRegimesAreCounted) {
  const std::vector<std::string> arguments = {
      "verify",     "--mode",     "fast",
      "--cases",    "100",        "--numerics",
      "strict",     "--manifest", (kSource / "kernels/kernels.toml").string(),
      "dequant_fp4"};
  auto more = arguments;
  more.push_back("--coverage");
  const auto told = assay(more);
  EXPECT_EQ(told.exit_code, 0) << told.out << told.err;
  std::istringstream table(told.out);
  std::string line, kernel, operation, verdict, cases;
  std::getline(table, line);  // of titles
  table >> kernel >> operation >> verdict >> cases;
  EXPECT_GT(std::stoi(cases), 100) << "those that are planned too";
  EXPECT_THAT(told.out, HasSubstr("dequant_fp4: reached by " + cases + " cases\n"));
  for (const char* tag :
       {"  code 15 at nibble 7\n", "  regime sweep\n", "  N = 8 + 1\n", "  K % group_size != 0\n",
        "  scales: NaN\n", "  scales: subnormal\n", "  scales: -0\n"}) {
    EXPECT_THAT(told.out, HasSubstr(tag));
  }
  EXPECT_THAT(assay(arguments).out, Not(HasSubstr("reached by")));
}

TEST(Coverage, ConditionsOfTheTextThatWereNeverBothAreNamed) {
  const Scratch scratch;
  fs::copy(kSource / "kernels", scratch / "kernels", fs::copy_options::recursive);
  const auto header = scratch / "kernels/include/dequantize.h";
  std::string text = read(header);
  const std::string line = "  half eight[8];\n";
  ASSERT_NE(text.find(line), std::string::npos);
  text.replace(text.find(line), line.size(),
               "  half eight[8];\n  if (shape.K == 123457) {\n    if (column > 3) return;\n  }\n");
  std::ofstream(header) << text;
  std::vector<std::string> arguments = {
      "verify",     "--mode",     "checked",
      "--cases",    "100",        "--numerics",
      "strict",     "--manifest", (scratch / "kernels/kernels.toml").string(),
      "dequant_fp4"};
  EXPECT_THAT(assay(arguments).out, Not(HasSubstr("conditions")));
  arguments.push_back("--coverage");
  const auto told = assay(arguments);
  EXPECT_EQ(told.exit_code, 0) << told.out << told.err;
  EXPECT_THAT(told.out, HasSubstr("branches  5 of 8 conditions were both true and false\n"));
  EXPECT_THAT(told.out, HasSubstr(" never true  include/dequantize.h:15 `shape.K == 123457`\n"));
  EXPECT_THAT(told.out, HasSubstr("never asked  include/dequantize.h:16 `column > 3`\n"));
  EXPECT_THAT(told.out, HasSubstr("`k < shape.K && column < shape.N`\n"));
}

}  // namespace
}  // namespace assay::end_to_end
