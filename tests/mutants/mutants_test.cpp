// Right kernels with one stated change each (the .toml files beside it): every one must be rejected, and for
// its true cause.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/run/manifests.hpp"
#include "harness/run/verifier.hpp"
#include "properties/laws/law.hpp"
#include "tests/mutants/listed.hpp"

namespace assay {
namespace {

using mutants::ChangedKernels;
using mutants::kSource;
using mutants::Mutant;
using mutants::read_mutants;

// A report without its line breaks and indents.
std::string unwrapped(const std::string& report) {
  std::string text;
  std::istringstream words(report);
  for (std::string word; words >> word;) text += text.empty() ? word : ' ' + word;
  return text;
}

class Mutants : public testing::TestWithParam<Mutant> {};

/// What the report of a rejected kernel lacks of what is listed; "" where nothing.
std::string lacking(const Mutant& mutant, const run::ModeReport& report) {
  const std::string verdict(assay::name_of(report.verdict));
  std::string text;
  if (std::find(mutant.verdicts.begin(), mutant.verdicts.end(), verdict) == mutant.verdicts.end())
    text += fmt::format("verdict: {}, deserved: {}\n", verdict, fmt::join(mutant.verdicts, " or "));
  for (const std::string& place : mutant.places) {
    if (unwrapped(report.text).find(place) == std::string::npos)
      text += fmt::format("the report does not say \"{}\"\n", place);
  }
  return text;
}

TEST_P(Mutants, IsRejectedForItsCause) {
  const Mutant& mutant = GetParam();
  const ChangedKernels changed(mutant);
  const auto entries = run::load_manifest(changed.manifest());
  run::VerifyOptions options;
  options.cases = mutant.cases;
  options.jobs = 1;  // the tests themselves run in parallel
  run::KernelReport report;
  for (const auto& attempt : mutant.attempts()) {
    options.modes = attempt.modes;
    options.tries_of_large = attempt.tries_of_large;
    report = run::verify_kernels(run::choose(entries, {mutant.kernel}), options).at(0);
    if (lacking(mutant, report.decisive()).empty()) break;
  }
  const auto& decisive = report.decisive();
  EXPECT_EQ(lacking(mutant, decisive), "") << mutant.why << "\n" << decisive.text;
  if (mutant.only_in) {
    for (const auto& one : report.modes) {
      const std::string numerics(metal::name_of(run::numerics_of(one.mode)));
      EXPECT_EQ(one.verdict != Verdict::pass, numerics == *mutant.only_in)
          << mutant.why << "\n"
          << numerics << ": " << assay::name_of(one.verdict) << "\n"
          << one.text;
    }
    EXPECT_NE(decisive.replay.find("numerics=" + *mutant.only_in), std::string::npos) << decisive.replay;
  }
  RecordProperty("verdict", std::string(assay::name_of(decisive.verdict)));
}

class MutantsOfLaws : public testing::TestWithParam<Mutant> {};

TEST_P(MutantsOfLaws, AreRejectedByLawsAlone) {
  const Mutant& mutant = GetParam();
  const ChangedKernels changed(mutant);
  const auto entries = run::load_manifest(changed.manifest());
  run::VerifyOptions options;
  options.cases = 40;
  options.modes = {run::Mode::fast};
  options.laws_alone = true;
  options.jobs = 1;
  const auto reports = run::verify_kernels(run::choose(entries, {mutant.kernel}), options);
  const auto& text = reports.at(0).decisive().text;
  EXPECT_EQ(reports.at(0).decisive().verdict, Verdict::law_broken) << mutant.why;
  const auto at = text.find("\nbroken  ");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string broken = ", " + text.substr(at + 9, text.find('\n', at + 1) - at - 9) + ",";
  for (const std::string& law : mutant.laws) {
    EXPECT_NE(broken.find(", " + law + ","), std::string::npos) << law << " holds\n" << text;
  }
}

std::vector<Mutant> mutants_of_laws() {
  auto mutants = read_mutants();
  std::erase_if(mutants, [](const Mutant& one) { return one.laws.empty(); });
  return mutants;
}

// Every law that our kernels are under: one that rejects nothing is no test.
TEST(LawsOfKernels, EachRejectsAMutant) {
  std::set<std::string> rejecting, all;
  for (const Mutant& mutant : mutants_of_laws()) rejecting.insert(mutant.laws.begin(), mutant.laws.end());
  for (const auto& entry : run::load_manifest((kSource / "kernels/kernels.toml").string())) {
    for (const auto& law : properties::laws::laws_of(properties::find_operation(entry.operation))) {
      all.insert(law.name);
    }
  }
  EXPECT_EQ(rejecting, all);
}

INSTANTIATE_TEST_SUITE_P(Kernels, MutantsOfLaws, testing::ValuesIn(mutants_of_laws()),
                         [](const auto& info) { return info.param.name; });

TEST(Places, AreAssertedOfMostMutants) {
  const auto mutants = read_mutants();
  const auto placed =
      std::count_if(mutants.begin(), mutants.end(), [](const Mutant& one) { return !one.places.empty(); });
  EXPECT_GE(3 * placed, 2 * std::ssize(mutants)) << placed << " of " << mutants.size();
}

// Faults of the protocol by which threadgroups meet: all schedules of small problems reject them, without any
// case that is drawn.
class MutantsOfSchedules : public testing::TestWithParam<Mutant> {};

TEST_P(MutantsOfSchedules, AreRejectedBySchedulesAlone) {
  const Mutant& mutant = GetParam();
  const ChangedKernels changed(mutant);
  const auto entries = run::load_manifest(changed.manifest());
  run::VerifyOptions options;
  options.modes = {run::Mode::checked};
  options.schedules.all = true;
  options.jobs = 1;
  const auto reports = run::verify_kernels(run::choose(entries, {mutant.kernel}), options);
  const auto& report = reports.at(0).decisive();
  const std::string verdict(assay::name_of(report.verdict));
  EXPECT_TRUE(std::find(mutant.verdicts.begin(), mutant.verdicts.end(), verdict) != mutant.verdicts.end())
      << mutant.why << "\nverdict: " << verdict << "\n"
      << report.text;
  EXPECT_NE(report.replay.find(" schedule="), std::string::npos) << report.replay;
}

std::vector<Mutant> mutants_of_schedules() {
  const std::set<std::string> listed = {"striped_no_release_fence", "striped_no_acquire_fence",
                                        "striped_relaxed_counter_only", "striped_fence_of_the_threadgroup",
                                        "striped_counter_not_reset"};
  auto mutants = read_mutants();
  std::erase_if(mutants, [&](const Mutant& one) {
    return !one.name.starts_with("schedule_") && !one.name.starts_with("progress_") &&
           !listed.contains(one.name);
  });
  return mutants;
}

INSTANTIATE_TEST_SUITE_P(Kernels, MutantsOfSchedules, testing::ValuesIn(mutants_of_schedules()),
                         [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Kernels, Mutants, testing::ValuesIn(read_mutants()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay
