// The search for a single change that puts a wrong kernel right.
#include <gmock/gmock.h>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

class Repair : public testing::Test {
 protected:
  // Our decoder of FP4, with one text in place of another.
  metal::ProcessResult repair(const std::string& right, const std::string& wrong) const {
    fs::create_directories(scratch_ / "include");
    for (const auto& file : fs::directory_iterator(kSource / "kernels/include")) {
      fs::copy_file(file, scratch_ / "include" / file.path().filename(),
                    fs::copy_options::overwrite_existing);
    }
    auto text = read(kSource / "kernels/include/fp4.h");
    text.replace(text.find(right), right.size(), wrong);
    scratch_.write("include/fp4.h", text);
    fs::copy_file(kSource / "kernels/dequant_fp4.metal", scratch_ / "dequant_fp4.metal");
    scratch_.write(
        "m.toml",
        "[[kernel]]\nname = \"decoder\"\nfunction = \"dequant_fp4\"\nsource = \"dequant_fp4.metal\"\n"
        "operation = \"dequantize_fp4\"\n"
        "arguments = [\"B\", \"scales\", \"W\", \"K\", \"N\", \"group_size\"]\n"
        "threads_per_threadgroup = [32, 4, 1]\ngrid = [\"ceil(N / 32)\", \"ceil(K / 32)\", 1]\narithmetic = "
        "{ dequantize = \"half\" }\n");
    return metal::run_process({kProgram.string(), "repair", "--manifest", (scratch_ / "m.toml").string()});
  }

  Scratch scratch_;
};

TEST_F(Repair, NamesTheLineAndWhatItShouldBe) {
  const auto result = repair("(code & 8) << 12", "(code & 8) << 11");
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("decoder: wrong result in fast mode, case "));
  EXPECT_THAT(result.out, HasSubstr("include/fp4.h:9\n"
                                    "  - const uint sign = (code & 8) << 11;\n"
                                    "  + const uint sign = (code & 8) << 12;\n"));
}

TEST_F(Repair, SaysThatThereIsNone) {
  const auto result = repair("(exponent_and_mantissa << 9) + (14 << 10)", "exponent_and_mantissa * 7 + 3");
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("single changes lets it pass"));
  EXPECT_THAT(result.out, Not(HasSubstr("  + ")));
}

TEST_F(Repair, LeavesARightKernelAlone) {
  const auto result = repair("code & 7", "code & 7");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("passes 200 cases; there is nothing to repair"));
}

}  // namespace
}  // namespace assay::end_to_end
