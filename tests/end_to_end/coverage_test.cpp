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
  for (const char* tag : {"dequant_fp4: reached by 100 cases", "  code 15 at nibble 7\n", "  regime sweep\n",
                          "  N = 8 + 1\n", "  K % group_size != 0\n"}) {
    EXPECT_THAT(told.out, HasSubstr(tag));
  }
  EXPECT_THAT(assay(arguments).out, Not(HasSubstr("reached by")));
}

}  // namespace
}  // namespace assay::end_to_end
