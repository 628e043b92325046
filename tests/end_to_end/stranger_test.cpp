// Somebody else's kernel, somebody else's manifest, the installed program, and no rebuild.
#include <gmock/gmock.h>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The program as `cmake --install` puts it, alone in an empty prefix.
fs::path install(const Scratch& scratch) {
  const auto installed =
      metal::run_process({"cmake", "--install", ASSAY_BINARY_DIR, "--prefix", (scratch / "prefix").string()});
  EXPECT_EQ(installed.exit_code, 0) << installed.err;
  return scratch / "prefix/bin/assay";
}

TEST(Stranger, KernelVerifiesWithTheInstalledProgram) {
  const Scratch scratch;
  const auto program = install(scratch);
  fs::copy(kSource / "tests/end_to_end/stranger", scratch / "theirs");
  const auto verified = assay({"verify", "--manifest", (scratch / "theirs/theirs.toml").string()}, program);
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("1 of 1 kernels pass"));
}

// What our rANS kernels say of damage is more than the format asks: a kernel without checksums and status is
// verified on sound weights, and not called vacuous for what it cannot be asked.
TEST(Stranger, RansKernelThatTellsOfNoDamageIsVerifiedOnSoundWeights) {
  const auto verified = assay({"verify", "--numerics", "strict", "--manifest",
                               (kSource / "tests/end_to_end/stranger/plain_rans.toml").string()});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("1 of 1 kernels pass"));
}

// Partial sums that are atomics race with nothing; only that a load may give an old value shows a missing
// fence. Each fence is left out in turn.
TEST(Stranger, PartialSumsThatAreAtomicsNeedBothFences) {
  const fs::path theirs = kSource / "tests/end_to_end/stranger";
  const auto verify = [](const fs::path& manifest) {
    return assay({"verify", "--mode", "checked", "--numerics", "strict", "--cases", "8", "--manifest",
                  manifest.string()});
  };
  const auto right = verify(theirs / "atomic_partials.toml");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  const std::string text = read(theirs / "atomic_partials.metal"), fence = "device_fence();  //";
  std::size_t fences = 0;
  for (auto at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
    const Scratch scratch;
    fs::copy_file(theirs / "atomic_partials.toml", scratch / "atomic_partials.toml");
    std::ofstream(scratch / "atomic_partials.metal") << std::string(text).replace(at, fence.size(), "//");
    const auto wrong = verify(scratch / "atomic_partials.toml");
    EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
    EXPECT_THAT(wrong.out,
                AllOf(HasSubstr("WRONG RESULT"), HasSubstr("of `partials` returned an older value"),
                      HasSubstr("| sum += atomic_load_explicit("),
                      HasSubstr("| atomic_store_explicit(&partials[(slice")));
    ++fences;
  }
  EXPECT_EQ(fences, 2u);
}

TEST(Stranger, InstalledProgramFindsAssaysOwnKernels) {
  const Scratch scratch;
  const auto program = install(scratch);
  const auto listed = metal::run_process({"sh", "-c", "cd / && " + program.string() + " list"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("marlin_gemm_fused_fp4"));
}

TEST(Stranger, FaultIsFoundAndReplayed) {
  // Rows of A past M are read: right on a GPU whose buffers are padded.
  const Scratch scratch;
  fs::copy(kSource / "tests/end_to_end/stranger", scratch / "theirs");
  std::string text = read(scratch / "theirs/their_gemm.metal");
  const std::string check = "base.x + r < M && k0 + c < K ?";
  ASSERT_NE(text.find(check), std::string::npos);
  text.replace(text.find(check), check.size(), "k0 + c < K ?");
  std::ofstream(scratch / "theirs/their_gemm.metal") << text;

  const auto verified = assay({"verify", "--manifest", (scratch / "theirs/theirs.toml").string()});
  EXPECT_EQ(verified.exit_code, 1) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("OUT OF BOUNDS"));
  EXPECT_THAT(verified.out, HasSubstr("M=1 N=1 K=1")) << "not shrunk";

  const std::string marker = "assay replay '";
  const auto at = verified.out.find(marker) + marker.size();
  ASSERT_GE(at, marker.size());
  const auto line = verified.out.substr(at, verified.out.find('\'', at) - at);
  const auto replayed = assay({"replay", line});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("OUT OF BOUNDS"));
}

}  // namespace
}  // namespace assay::end_to_end
