// Kernels that misbehave do not take the run down, and are told apart.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"
#include "tests/signals_at_once.hpp"

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
  ASSAY_NEEDS_SIGNALS_AT_ONCE();
  const auto result = verify("  volatile uint n = 1; while (n != 0) {} C[i] = 0;",
                             {"--timeout", "1", "--numerics", "strict"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("timeout"));
  EXPECT_THAT(result.out, HasSubstr("took more than 1 s of processor time and loops at "));
  EXPECT_THAT(result.out, HasSubstr("         8 | volatile uint n = 1; while (n != 0) {} C[i] = 0;\n"));
  EXPECT_THAT(result.out, HasSubstr("assay replay"));
}

// What is stored of memory that nobody has written looks like what was there before, but it was stored.
TEST(Verdict, GarbageOfThreadgroupMemoryThatIsStoredWasWritten) {
  const auto result = verify("  threadgroup half tile[32];\n  if (i < M * N) C[i] = tile[i % 32];",
                             {"--numerics", "strict", "--cases", "20"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("a read of `tile` at byte 0, which nobody has written"));
  EXPECT_THAT(result.out, Not(HasSubstr("never written")));
}

// 20,480 threadgroups take more than the time of one case, and none of them hangs.
TEST(Verdict, ManyThreadgroupsThatEndOneAfterAnotherAreNoHang) {
  const Scratch scratch;
  scratch.write("k.metal",
                "#include <metal_stdlib>\nusing namespace metal;\n"
                "kernel void k(device uint* y [[buffer(0)]], uint i [[thread_index_in_threadgroup]],\n"
                "              uint g [[threadgroup_position_in_grid]]) {\n"
                "  threadgroup uint at[1024];\n  at[i] = i;\n"
                "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                "  if (i == 0) y[g] = at[g % 1024];\n"
                "  threadgroup_barrier(mem_flags::mem_threadgroup);\n}\n");
  scratch.write("m.toml",
                "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\ndimensions = [{ name = \"N\" }]\n"
                "tensors = [{ name = \"y\", type = \"uint\", shape = [\"N\"], access = \"out\" }]\n"
                "arguments = [\"y\"]\nthreads_per_threadgroup = 1024\ngrid = [\"N\", 1, 1]\n");
  const auto result = metal::run_process(
      {kProgram.string(), "replay",
       "kernel=k manifest=m.toml mode=fast operation=buffers N=20480 regime=stated seed=1", "--timeout", "3"},
      scratch.root().string());
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Verdict, TheLoopThatNeverEndsIsNamed) {
  ASSAY_NEEDS_SIGNALS_AT_ONCE();
  const auto result = verify(
      "  uint sum = 0;\n  for (uint round = 0; round < 4; ++round) sum += round;\n"
      "  for (uint bit = 1; bit != 3; bit <<= 1)\n    if (bit == 0) sum += A[0] > 0 ? 1 : 2;\n"
      "  C[i % M] = half(sum);",
      {"--timeout", "2", "--mode", "checked"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("k.metal:10"));
  EXPECT_THAT(result.out, HasSubstr("        10 | for (uint bit = 1; bit != 3; bit <<= 1)\n"));
}

// A product in plain Metal, with a line of one's own that changes a code, a scale.
std::string product_with(const std::string& line) {
  return "  const float values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};\n"
         "  for (uint e = i; e < M * N; e += 32) {\n    float sum = 0;\n    for (uint q = 0; q < K; ++q) {\n"
         "      uint code = B[q / 8 * N + e % N] >> (4 * (q % 8)) & 15;\n"
         "      half s = scales[q / group_size * N + e % N];\n" +
         line +
         "\n      const half v = half((code & 8) ? -values[code & 7] : values[code & 7]);\n"
         "      sum += float(A[e / N * K + q]) * float(half(v * s));\n    }\n    C[e] = half(sum);\n  }";
}

std::string words_of_diagnosis(const std::string& line) {
  const auto result = verify(product_with(line), {"--mode", "fast", "--numerics", "strict"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  return std::regex_replace(result.out.substr(result.out.find("  diagnosis")), std::regex("\\s+"), " ");
}

TEST(Verdict, FaultsThatHaveNothingInCommonAreDiagnosedApart) {
  const auto words = words_of_diagnosis("if (code == 9) code = 10; if (q % 8 == 3) s = -s;");
  EXPECT_THAT(
      words,
      HasSubstr("elements with code 9 are wrong. Another fault shows in the rest: only other elements in "
                "nibble 3 and with code "));
}

TEST(Verdict, FaultThatOnlyInfinitiesShowIsSaidToBe) {
  EXPECT_THAT(
      words_of_diagnosis("if (isinf(s)) s = 1.0h;"),
      HasSubstr("The failing case is right if 1 replaces every infinity and NaN of scales. Only these "
                "values show the fault."));
}

TEST(Verdict, KernelThatCrashesLeavesTheOthersToBeJudged) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  *(device half*)(ulong(i) * 8 + 64) = 0;"));
  const std::string ours = read(kSource / "kernels/kernels.toml");
  fs::copy(kSource / "kernels", scratch / "kernels", fs::copy_options::recursive);
  std::ofstream(scratch / "kernels/both.toml")
      << manifest_of("../k.metal", "k") << ours.substr(ours.find("[[kernel]]"));
  const auto result =
      assay({"verify", "--mode", "fast", "--cases", "100", "--allow-dir", scratch.root().string(),
             "--manifest", (scratch / "kernels/both.toml").string(), "k", "dequant_fp4"});
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

TEST(Verdict, ReplayEndsWithTheDiagnosisOfTheRun) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  for (uint e = i; e < M * N; e += 32) C[e] = 0;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  const auto run =
      assay({"verify", "--mode", "fast", "--numerics", "strict", "--manifest", manifest.string()});
  const auto begin = run.out.find("  diagnosis\n"), end = run.out.find("shrunk from");
  ASSERT_TRUE(begin != std::string::npos && begin < end && end != std::string::npos) << run.out;
  const std::string diagnosis = run.out.substr(begin, end - begin), marker = "assay replay '";
  const auto from = run.out.find(marker) + marker.size();
  const auto replayed = assay({"replay", run.out.substr(from, run.out.find('\'', from) - from)});
  EXPECT_THAT(replayed.out, testing::EndsWith(diagnosis));
}

// In a mode that no planned cases are asked in, and whose code is another than that of strict arithmetic.
TEST(Verdict, TooFewCasesToShowAFaultAreNeverGreen) {
  const auto result = assay({"verify", "--cases", "1", "--numerics", "flushed", "--manifest",
                             (kSource / "kernels/kernels.toml").string(), "marlin_gemm_fp4"});
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("vacuous"));
}

// Takes a product and its rounded self for the same: right in strict arithmetic, until it is contracted.
TEST(Verdict, ArithmeticThatIsNotSurvivedIsNamedAndReplayed) {
  const Scratch scratch;
  fs::copy(kSource / "kernels", scratch / "kernels", fs::copy_options::recursive);
  std::string text = read(scratch / "kernels/include/fp4.h");
  const std::string product = "fp4_to_half(code) * scale";
  ASSERT_NE(text.find(product), std::string::npos);
  text.replace(
      text.find(product), product.size(),
      "(fp4_to_half(code) * scale - half(fp4_to_half(code) * scale) > 0 ? half(7) : " + product + ")");
  std::ofstream(scratch / "kernels/include/fp4.h") << text;
  const auto manifest = (scratch / "kernels/kernels.toml").string();
  const auto verified = assay({"verify", "--mode", "fast", "--manifest", manifest, "dequant_fp4"});
  EXPECT_EQ(verified.exit_code, 1) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("pass                strict reassociated "));
  EXPECT_THAT(verified.out, HasSubstr("WRONG RESULT"));
  const auto strict =
      assay({"verify", "--mode", "fast", "--numerics", "strict", "--manifest", manifest, "dequant_fp4"});
  EXPECT_EQ(strict.exit_code, 0) << strict.out;
  EXPECT_THAT(strict.out, Not(HasSubstr("survives")));

  const auto begin = verified.out.find("kernel=dequant_fp4"), end = verified.out.find('\'', begin);
  ASSERT_NE(begin, std::string::npos) << verified.out;
  std::string line = verified.out.substr(begin, end - begin);
  const auto replayed = assay({"replay", line});
  EXPECT_EQ(replayed.exit_code, 1) << line << "\n" << replayed.out << replayed.err;
  const std::string numerics = " numerics=contracted";
  ASSERT_NE(line.find(numerics), std::string::npos) << line;
  std::string without = line, other = line;
  without.erase(line.find(numerics), numerics.size());
  EXPECT_EQ(assay({"replay", without}).exit_code, 0) << without;
  other.replace(line.find(numerics), numerics.size(), " numerics=loose");
  const auto refused = assay({"replay", other});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("`loose` is not a numerics mode"));
}

TEST(Verdict, NumericsRunInFastMode) {
  const auto result = assay({"verify", "--mode", "checked", "--numerics", "contracted", "--manifest",
                             (kSource / "kernels/kernels.toml").string(), "dequant_fp4"});
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("leave out --mode checked"));
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
