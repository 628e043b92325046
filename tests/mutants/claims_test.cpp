// Mutants that only break what the manifest claims: no case can show them. A text that was preprocessed
// before was refused for the files that its line markers name, and each of these mutants survived.
#include <gtest/gtest.h>

#include "harness/mutate/case_runner.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {
namespace {

TEST(ClaimsOfMutants, AreHeldAgainstTheChangedText) {
  const auto entries = run::load_manifest(ASSAY_SOURCE_DIR "/kernels/kernels.toml", {"marlin_gemm_fp4"});
  const auto kernel = mutate::read_kernel(*run::choose(entries, {"marlin_gemm_fp4"}).front());
  EXPECT_EQ(mutate::judge_claims(kernel, kernel.text).verdict, Verdict::pass);
  std::string larger = kernel.text;
  const std::string array = "half B_tiles[2]";
  ASSERT_NE(larger.find(array), std::string::npos);
  larger.replace(larger.find(array), array.size(), "half B_tiles[3]");
  EXPECT_EQ(mutate::judge_claims(kernel, larger).verdict, Verdict::claim_differs);
}

/// What becomes of a kernel's claims when `what` in its text, or in what it includes, is replaced.
Verdict claims_of(const std::string& name, const std::string& what, const std::string& with) {
  const auto entries = run::load_manifest(ASSAY_SOURCE_DIR "/kernels/kernels.toml", {name});
  const auto kernel = mutate::read_kernel(*run::choose(entries, {name}).front());
  std::string text = kernel.text;
  const auto at = text.find(what);
  if (at == std::string::npos) throw std::runtime_error(name + " has no " + what);
  return mutate::judge_claims(kernel, text.replace(at, what.size(), with)).verdict;
}

// Guards against counting rANS kernels on one stream and one row of a batch, where the last two do not show.
TEST(ClaimsOfMutants, StreamsThatAreReadTwice) {
  const std::string open = "stream = open_stream(rans, tile * streams + lane);";
  EXPECT_EQ(claims_of("fused_rans_gemm", open, open), Verdict::pass);
  EXPECT_EQ(claims_of("fused_rans_gemm", open, open + open), Verdict::claim_differs);
}

TEST(ClaimsOfMutants, StreamsThatNoLaneDecodes) {
  EXPECT_EQ(claims_of("fused_rans_gemv", "sound && lane < streams", "sound && lane < 1"),
            Verdict::claim_differs);
}

TEST(ClaimsOfMutants, WeightsDecodedAnewForEachRowOfABatch) {
  const std::string sum = "float sum = tile_column == 0 ? 0 : *out;";
  EXPECT_EQ(claims_of("fused_rans_gemm", sum, sum + " sum += 1e-30f * float(data[0]);"),
            Verdict::claim_differs);
}

}  // namespace
}  // namespace assay::cli
