// Our kernels pass what a user who verifies them runs: the default cases, in both modes.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "cli/kernels.hpp"
#include "cli/verifier.hpp"
#include "tests/kernels/our_kernels.hpp"

namespace assay::cli {
namespace {

class Kernels : public testing::TestWithParam<std::tuple<std::string, Mode>> {};

// Those of `assay verify --mode`: arithmetic that a compiler has changed is run in fast mode only.
std::vector<Way> ways_of(Mode mode) {
  if (mode == Mode::checked) return {{mode}};
  return {{mode}, {mode, Numerics::contracted}, {mode, Numerics::reassociated}};
}

TEST_P(Kernels, PassWithTheDefaultCases) {
  const auto& [name, mode] = GetParam();
  const auto entries = load_manifest(kManifest.string());
  VerifyOptions options;
  options.ways = ways_of(mode);
  options.jobs = 1;  // the tests themselves run in parallel
  const auto reports = verify_kernels(choose(entries, {name}), options);
  const auto& report = reports.at(0).decisive();
  EXPECT_EQ(report.verdict, verify::Verdict::pass) << report.text;
  for (const auto& run : reports.at(0).modes) {
    if (run.same_as_strict) continue;  // judged by the cases of strict arithmetic
    EXPECT_EQ(run.cases_run, options.cases_of(run.way)) << name_of(run.way);
  }
}

std::vector<std::string> all_kernels() {
  std::vector<std::string> names;
  for (const auto& entry : load_manifest(kManifest.string())) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Manifest, Kernels,
                         testing::Combine(testing::ValuesIn(all_kernels()),
                                          testing::Values(Mode::fast, Mode::checked)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::string(name_of(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace assay::cli
