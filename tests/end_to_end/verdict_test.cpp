// Kernels that misbehave do not take the run down, and are told apart.
#include <gmock/gmock.h>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

metal::ProcessResult verify(const std::string& body, const std::vector<std::string>& more = {}) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text(body));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  std::vector<std::string> arguments = {"verify", "--manifest", manifest.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return assay(arguments);
}

TEST(Verdict, KernelThatNeverEndsIsStopped) {
  const auto result = verify("  volatile uint n = 1; while (n != 0) {} C[i] = 0;", {"--timeout", "1"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("timeout"));
  EXPECT_THAT(result.out, HasSubstr("did not end within 1 s"));
  EXPECT_THAT(result.out, HasSubstr("assay replay"));
}

TEST(Verdict, KernelThatCrashesLeavesTheOthersToBeJudged) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  *(device half*)(ulong(i) * 8 + 64) = 0;"));
  const std::string ours = read(kSource / "kernels/kernels.toml");
  fs::copy(kSource / "kernels", scratch / "kernels", fs::copy_options::recursive);
  std::ofstream(scratch / "kernels/both.toml")
      << manifest_of("../k.metal", "k") << ours.substr(ours.find("[[kernel]]"));
  const auto result = assay({"verify", "--mode", "fast", "--cases", "100", "--manifest",
                             (scratch / "kernels/both.toml").string(), "k", "dequant_fp4"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("crash"));
  EXPECT_THAT(result.out, HasSubstr("1 of 2 kernels pass"));
}

TEST(Verdict, KernelThatWritesNothingIsRejected) {
  const auto result = verify("");
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("never written"));
}

TEST(Verdict, KernelThatWritesZerosIsRejected) {
  const auto result = verify("  for (uint e = i; e < M * N; e += 32) C[e] = 0;", {"--mode", "fast"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("WRONG RESULT"));
}

TEST(Verdict, TooFewCasesToShowAFaultAreNeverGreen) {
  const auto result = assay({"verify", "--cases", "1", "--manifest",
                             (kSource / "kernels/kernels.toml").string(), "marlin_gemm_fp4"});
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("vacuous"));
}

TEST(Verdict, SameSeedSameReport) {
  const auto strip_times = [](const std::string& out) {
    return out.substr(out.find('\n', out.find('\n') + 1));
  };
  const std::vector<std::string> arguments = {"--seed", "5", "--mode", "fast"};
  const auto first = verify("  for (uint e = i; e < M * N; e += 32) C[e] = A[0];", arguments);
  const auto second = verify("  for (uint e = i; e < M * N; e += 32) C[e] = A[0];", arguments);
  EXPECT_EQ(strip_times(first.out), strip_times(second.out));
  EXPECT_EQ(first.exit_code, 1);
}

}  // namespace
}  // namespace assay::end_to_end
