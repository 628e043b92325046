// `--trace` shows every tensor around every launch, of any kernel of a manifest.
#include <gmock/gmock.h>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kTracedManifest = (kSource / "kernels/kernels.toml").string();

TEST(Trace, VerifyShowsTensorsBeforeAndAfter) {
  const auto result = assay({"verify", "--manifest", kTracedManifest, "--cases", "2", "--trace",
                             "gemm_trellis_packed", "gemm_trellis_moe", "marlin_gemm_fp4_striped"});
  for (const char* kernel : {"gemm_trellis_packed", "gemm_trellis_moe", "marlin_gemm_fp4_striped"}) {
    EXPECT_THAT(result.out, HasSubstr(std::string("=== ") + kernel + " before launch 1 ==="));
    EXPECT_THAT(result.out, HasSubstr(std::string("=== ") + kernel + " after launch 2 ==="));
  }
  EXPECT_THAT(result.out, HasSubstr("\npacked_indices: u8 ["));
  EXPECT_THAT(result.out, HasSubstr("\ngate_sv: f32 ["));
  EXPECT_THAT(result.out, HasSubstr("distinct={-1, 1}"));
  EXPECT_THAT(result.out, HasSubstr("\nfast: operation=gemm_trellis "));
  EXPECT_THAT(result.out, HasSubstr("\nchecked: operation=moe_swiglu_trellis "));
}

TEST(Trace, ReplayShowsTheLaunchOfACaseAndNothingWhereNobodyAsks) {
  const std::string line =
      "kernel=dequant_trellis manifest=" + kTracedManifest +
      " mode=checked operation=dequantize_trellis K=1 N=1 bits=3 group_size=8 n_levels=8 "
      "regime=constant seed=0";
  const auto traced = assay({"replay", line, "--trace"}), silent = assay({"replay", line});
  EXPECT_EQ(traced.exit_code, 0) << traced.out << traced.err;
  EXPECT_THAT(traced.out, HasSubstr("W: f16 [1, 1], nan=1, inf=0, first bytes a5 ff"));
  EXPECT_THAT(traced.out, HasSubstr("W: f16 [1, 1], min=1, max=1,"));
  EXPECT_THAT(silent.out, Not(HasSubstr("===")));
}

// A kernel that never comes back was at least seen going in.
TEST(Trace, ShowsWhatAKernelWasGivenThatDoesNotComeBack) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  volatile uint n = 1; while (n != 0) {} C[i] = 0;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  // Long enough to compile it on a machine that is busy.
  const auto result =
      assay({"verify", "--manifest", manifest.string(), "--mode", "fast", "--timeout", "4", "--trace"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("=== k before launch 1 ==="));
  EXPECT_THAT(result.out, Not(HasSubstr("=== k after launch 1 ===")));
}

}  // namespace
}  // namespace assay::end_to_end
