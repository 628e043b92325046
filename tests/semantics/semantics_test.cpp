// A kernel that means something else passes with the word that says so and is rejected without it; one that
// means what is documented is rejected with it.
#include <gmock/gmock.h>

#include <algorithm>

#include "harness/run/manifests.hpp"
#include "harness/run/verifier.hpp"
#include "tests/semantics/words.hpp"

namespace assay::semantics {
namespace {

/// Wrong in its results, by the reference or, where this has not yet seen it, by a law; or it does not fit.
auto rejected() {
  return testing::AnyOf(Verdict::wrong_result, Verdict::law_broken, Verdict::out_of_bounds, Verdict::error);
}

class Words : public testing::TestWithParam<Other> {
 protected:
  /// The report that decides, of a kernel in these modes; an entry that its kernel does not fit is an error.
  static run::ModeReport verify(const Changed& changed, std::vector<run::Mode> modes) {
    const auto entries = run::load_manifest(changed.manifest());
    run::VerifyOptions options;
    options.cases = 100;
    options.modes = std::move(modes);
    options.jobs = 1;  // the tests themselves run in parallel
    return run::verify_kernels(run::choose(entries, {}), options).at(0).decisive();
  }
};

TEST_P(Words, AreKeptInEveryMode) {
  const Changed changed(GetParam(), true, true);
  const auto report =
      verify(changed, {run::Mode::fast, run::Mode::checked, run::Mode::contracted, run::Mode::reassociated});
  EXPECT_EQ(report.verdict, Verdict::pass) << report.text;
}

TEST_P(Words, AreNeededByAKernelThatMeansThem) {
  const Changed changed(GetParam(), true, false);
  const auto report = verify(changed, {run::Mode::fast});
  EXPECT_THAT(report.verdict, rejected()) << report.text;
}

TEST_P(Words, RejectAKernelThatDoesNotMeanThem) {
  const Changed changed(GetParam(), false, true);
  const auto report = verify(changed, {run::Mode::fast});
  EXPECT_THAT(report.verdict, rejected()) << report.text;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Words, testing::ValuesIn(words()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay::semantics
