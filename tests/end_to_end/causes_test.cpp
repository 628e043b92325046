// What the report of a rejected kernel names first, through the whole program: variables without a value,
// faults before a launch that does not end, writes of the same value, arithmetic that is not strict.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"
#include "tests/signals_at_once.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The kernel that `assay init` writes, changed.
class NamesTheCause : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(assay({"init", "--out", (scratch_ / "first").string()}).exit_code, 0);
    kernel_ = read(scratch_ / "first/rms_norm.metal");
  }

  void change(const std::string& what, const std::string& instead) {
    const auto at = kernel_.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    kernel_.replace(at, what.size(), instead);
    scratch_.write("first/rms_norm.metal", kernel_);
  }

  int verify(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"verify", "--cases", "20", "--manifest",
                                          (scratch_ / "first/kernels.toml").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = assay(arguments);
    // As one line, so that what is said is found however it is wrapped.
    words_ = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    return result.exit_code;
  }

  Scratch scratch_;
  std::string kernel_, words_;
};

TEST_F(NamesTheCause, AVariableWithoutAValueBeforeAWrongResult) {
  change("float squares = 0;", "float squares;");
  EXPECT_EQ(verify({"--mode", "checked"}), 1);
  EXPECT_THAT(words_, HasSubstr("rms_norm: UNINITIALISED READ"));
  EXPECT_THAT(words_, HasSubstr("rms_norm.metal:15: the variable `squares`, declared in line 12, is read "
                                "before it has a value"));
  EXPECT_THAT(words_, HasSubstr("12 | float squares;"));
}

TEST_F(NamesTheCause, AVariableWithoutAValueBeforeAnAccessOutOfBounds) {
  change("const float value = x[row * N + i];",
         "uint at;\n    if (N > 600) at = i;\n    const float value = x[at];");
  EXPECT_EQ(verify({"--mode", "checked"}), 1);
  EXPECT_THAT(words_, HasSubstr("rms_norm: UNINITIALISED READ"));
  EXPECT_THAT(words_, HasSubstr("the variable `at`, declared in line 14, is read before it has a value"));
  EXPECT_THAT(words_, HasSubstr("out of bounds at"));
}

// A read that changes nothing is not the cause of what is wrong.
TEST_F(NamesTheCause, NoVariableWhoseGarbageChangesNothing) {
  change("i < N; i += 32) {", "i + 1 < N; i += 32) {");
  change("squares += value * value;",
         "float4 v;\n    v.x = value;\n    float4 copy = v;\n    squares += copy.x * copy.x;");
  EXPECT_EQ(verify({"--mode", "checked"}), 1);
  EXPECT_THAT(words_, HasSubstr("rms_norm: WRONG RESULT"));
  EXPECT_THAT(words_, Not(HasSubstr("before it has a value")));
}

TEST_F(NamesTheCause, AFaultBeforeTheLaunchThatNeverEnds) {
  ASSAY_NEEDS_SIGNALS_AT_ONCE();
  change("float squares = 0;",
         "float squares = 0;\n  threadgroup uint goal[32];\n  while (goal[1] != 5) squares += 1;");
  EXPECT_EQ(verify({"--mode", "checked", "--timeout", "3"}), 1);
  EXPECT_THAT(words_, HasSubstr("rms_norm: UNINITIALISED READ"));
  EXPECT_THAT(words_, HasSubstr("a read of `goal` at byte 4, which nobody has written; after that, case "));
  EXPECT_THAT(words_, HasSubstr("took more than 3 s of processor time"));
}

TEST_F(NamesTheCause, WritesOfTheSameValueWhichAManifestMayAccept) {
  change("const float scale = rsqrt(simd_sum(squares) / N + 1e-5f);",
         "threadgroup float total[1];\n  total[0] = simd_sum(squares);\n"
         "  threadgroup_barrier(mem_flags::mem_threadgroup);\n  const float scale = rsqrt(total[0] / N + "
         "1e-5f);");
  EXPECT_EQ(verify({"--mode", "checked"}), 1);
  EXPECT_THAT(words_, HasSubstr("rms_norm: RACE"));
  EXPECT_THAT(
      words_,
      HasSubstr("`total` at byte 0 twice, and no simdgroup_barrier orders the two writes; both write "));
  const auto manifest = read(scratch_ / "first/kernels.toml");
  scratch_.write("first/kernels.toml", manifest + "accept = [\"same_value_writes\"]\n");
  EXPECT_EQ(verify({"--mode", "checked"}), 0) << words_;
  change("total[0] = simd_sum(squares);", "total[0] = row + lane == 31 ? 1 : simd_sum(squares);");
  EXPECT_EQ(verify({"--mode", "checked"}), 1);
  EXPECT_THAT(words_, HasSubstr("rms_norm: RACE"));
  scratch_.write("first/kernels.toml", manifest + "accept = [\"races\"]\n");
  EXPECT_EQ(verify({"--mode", "checked"}), 2);
  EXPECT_THAT(
      words_,
      HasSubstr("accept: takes \"same_value_writes\" and \"saturating_conversions\", and nothing else"));
}

// A large case is a sample of threadgroups, which is run by other code.
TEST(AcceptedWrites, AreAcceptedInLargeCasesToo) {
  const Scratch scratch;
  fs::copy(kSource / "kernels", scratch.root() / "kernels", fs::copy_options::recursive);
  auto text = read(scratch / "kernels/dequant_fp4.metal");
  const std::string before = "  dequantize(weights, W, position);\n";
  text.replace(text.find(before), before.size(), "  threadgroup uint one[1];\n  one[0] = 1;\n" + before);
  scratch.write("kernels/dequant_fp4.metal", text);
  const auto verify = [&](const std::string& accept) {
    scratch.write(
        "m.toml",
        "[[kernel]]\nname = \"k\"\nsource = \"kernels/dequant_fp4.metal\"\nfunction = \"dequant_fp4\"\n"
        "operation = \"dequantize_fp4\"\n"
        "arguments = [\"B\", \"scales\", \"W\", \"K\", \"N\", \"group_size\"]\n"
        "threads_per_threadgroup = [32, 4, 1]\ngrid = [\"ceil(N / 32)\", \"ceil(K / 32)\", 1]\n"
        "arithmetic = { dequantize = \"half\" }\n" +
            accept);
    return assay({"verify", "--manifest", (scratch / "m.toml").string(), "--mode", "checked", "--at",
                  "N=28672,K=8192"});
  };
  const auto rejected = verify("");
  EXPECT_EQ(rejected.exit_code, 1) << rejected.out << rejected.err;
  EXPECT_THAT(rejected.out, HasSubstr("RACE"));
  const auto accepted = verify("accept = [\"same_value_writes\"]\n");
  EXPECT_EQ(accepted.exit_code, 0) << accepted.out << accepted.err;
}

TEST_F(NamesTheCause, ArithmeticThatIsNotStrictInTheFirstSentence) {
  change("squares += value * value;", "squares += value * value + fabs((1e30f + value) - 1e30f);");
  EXPECT_EQ(verify({"--mode", "fast"}), 1);
  EXPECT_THAT(words_, HasSubstr("rms_norm: WRONG RESULT Only reassociated arithmetic shows this: the kernel "
                                "passes in strict arithmetic."));
  EXPECT_EQ(verify({"--mode", "fast", "--numerics", "reassociated"}), 1);
  EXPECT_THAT(words_, HasSubstr("rms_norm: WRONG RESULT Seen with reassociated arithmetic."));
}

}  // namespace
}  // namespace assay::end_to_end
