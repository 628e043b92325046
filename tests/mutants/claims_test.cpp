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

}  // namespace
}  // namespace assay::cli
