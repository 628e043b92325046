// Our kernels break no law.
#include <gtest/gtest.h>

#include "harness/run/manifests.hpp"
#include "harness/run/verifier.hpp"
#include "properties/laws/law.hpp"
#include "tests/kernels/our_kernels.hpp"

namespace assay::cli {
namespace {

class LawsOfKernel : public testing::TestWithParam<std::string> {};

TEST_P(LawsOfKernel, Hold) {
  const auto entries = run::load_manifest(kManifest.string());
  run::VerifyOptions options;
  options.cases = 20;
  options.modes = {{}};
  options.laws_alone = true;
  options.jobs = 1;
  const auto reports = run::verify_kernels(run::choose(entries, {GetParam()}), options);
  EXPECT_EQ(reports.at(0).decisive().verdict, Verdict::pass) << reports.at(0).decisive().text;
}

std::vector<std::string> kernels_with_laws() {
  std::vector<std::string> names;
  for (const auto& entry : run::load_manifest(kManifest.string())) {
    if (!properties::laws::laws_of(properties::find_operation(entry.operation)).empty())
      names.push_back(entry.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kernels, LawsOfKernel, testing::ValuesIn(kernels_with_laws()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace assay::cli
