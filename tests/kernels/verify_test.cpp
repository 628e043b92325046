// Our kernels pass what a user who verifies them runs: the default cases, in both modes.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "harness/run/manifests.hpp"
#include "harness/run/verifier.hpp"
#include "tests/kernels/our_kernels.hpp"

namespace assay::cli {
namespace {

class Kernels : public testing::TestWithParam<std::tuple<std::string, run::Mode>> {};

// Those of `assay verify --mode`: arithmetic that a compiler has changed is run in fast mode only.
std::vector<run::Mode> modes_of(run::Mode mode) {
  if (mode == run::Mode::checked) return {mode};
  return {mode, run::Mode::contracted, run::Mode::reassociated};
}

TEST_P(Kernels, PassWithTheDefaultCases) {
  const auto& [name, mode] = GetParam();
  const auto entries = run::load_manifest(kManifest.string());
  run::VerifyOptions options;
  options.modes = modes_of(mode);
  options.jobs = 1;  // the tests themselves run in parallel
  const auto reports = run::verify_kernels(run::choose(entries, {name}), options);
  const auto& report = reports.at(0).decisive();
  EXPECT_EQ(report.verdict, Verdict::pass) << report.text;
  for (const auto& run : reports.at(0).modes) {
    if (run.same_as_strict) continue;  // judged by the cases of strict arithmetic
    EXPECT_EQ(run.cases_run, options.cases_of(run.mode)) << name_of(run.mode);
  }
}

std::vector<std::string> all_kernels() {
  std::vector<std::string> names;
  for (const auto& entry : run::load_manifest(kManifest.string())) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Manifest, Kernels,
                         testing::Combine(testing::ValuesIn(all_kernels()),
                                          testing::Values(run::Mode::fast, run::Mode::checked)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::string(run::name_of(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace assay::cli
