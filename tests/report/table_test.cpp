// The table of verify: which columns there are, and what stands in them.
#include "harness/report/table.hpp"

#include <gmock/gmock.h>

#include "tests/report/results_of.hpp"

namespace assay::report {
namespace {

KernelEntry entry_named(const std::string& name) {
  KernelEntry entry;
  entry.name = name;
  entry.operation = "gemm_fp4";
  return entry;
}

TEST(Table, HasAColumnForEachModeOfStrictArithmeticAndOneForTheOthers) {
  const auto entry = entry_named("a_long_name");
  const Table table({&entry}, {kFast, kChecked, kContracted});
  EXPECT_EQ(
      table.header(),
      "kernel       operation  fast                checked             survives            cases  seconds\n");
  run::KernelReport report{&entry,
                           {mode_report(kFast, Verdict::pass), mode_report(kChecked, Verdict::race),
                            mode_report(kContracted, Verdict::pass)}};
  report.modes[0].cases_run = 7;
  EXPECT_EQ(
      table.row(report).plain(),
      "a_long_name  gemm_fp4   pass                race                not strict            200     4.50\n");
  report.modes[1] = mode_report(kChecked, Verdict::pass);
  EXPECT_EQ(
      table.row(report).plain(),
      "a_long_name  gemm_fp4   pass                pass                strict contracted     200     4.50\n");
}

// Half of the cases, in fast mode, cannot speak for a kernel that strict arithmetic rejects.
TEST(Table, NothingIsSaidToSurviveOfAKernelThatIsWrongAsItIsWritten) {
  const run::KernelReport wrong{
      nullptr, {mode_report(kFast, Verdict::wrong_result), mode_report(kContracted, Verdict::pass)}};
  EXPECT_TRUE(wrong.survived().empty());
  const run::KernelReport loose{
      nullptr, {mode_report(kFast, Verdict::pass), mode_report(kContracted, Verdict::wrong_result)}};
  EXPECT_EQ(loose.survived().size(), 1u);
}

// It is not run where they are flushed, and no table says that it survives it.
TEST(Table, SaysWhichKernelsNeedSubnormals) {
  const auto plain = entry_named("plain");
  auto needs = entry_named("needs");
  needs.requirements["subnormals"].one_of = {1};
  const Table table({&plain, &needs}, {kFast, run::Mode::flushed});
  const auto passed = mode_report(kFast, Verdict::pass);
  EXPECT_THAT(table.row({&plain, {passed, mode_report(run::Mode::flushed, Verdict::pass)}}).plain(),
              ::testing::HasSubstr("strict flushed  "));
  EXPECT_THAT(table.row({&needs, {passed}}).plain(), ::testing::HasSubstr("strict, needs subnormals  "));
  EXPECT_EQ(table.header().size(), table.row({&needs, {passed}}).plain().size());
  const Table kept({&needs}, {kFast, kContracted});
  EXPECT_THAT(kept.row({&needs, {passed}}).plain(), ::testing::Not(::testing::HasSubstr("subnormals")));
}

TEST(Table, AModeThatWasNotRunIsADash) {
  const auto entry = entry_named("k");
  const Table table({&entry}, {kFast, kChecked});
  EXPECT_EQ(table.header(), "kernel  operation  fast                checked              cases  seconds\n");
  EXPECT_EQ(table.row({&entry, {mode_report(kChecked, Verdict::pass)}}).plain(),
            "k       gemm_fp4   -                   pass                   200     1.50\n");
}

// Varied: verdicts of each colour. The words alone say everything.
TEST(Table, ColoursVerdictsAndNothingElse) {
  const auto entry = entry_named("k");
  const Table table({&entry}, {kFast, kChecked});
  std::vector<std::pair<std::string, Style>> coloured;
  for (const auto verdict : {Verdict::race, Verdict::unsupported}) {
    const auto row = table.row({&entry, {mode_report(kFast, Verdict::pass), mode_report(kChecked, verdict)}});
    for (const auto& piece : row.pieces()) {
      if (piece.style != Style::plain) coloured.emplace_back(piece.text, piece.style);
    }
  }
  EXPECT_THAT(coloured, ::testing::ElementsAre(std::pair("pass", Style::good), std::pair("race", Style::bad),
                                               std::pair("pass", Style::good),
                                               std::pair("unsupported", Style::unsure)));
}

TEST(Table, LeavesANameThatNoLineHasRoomForOutOfItsWidths) {
  const auto longest = entry_named(std::string(500, 'k'));
  EXPECT_LT(Table({&longest}, {kFast}).header().size(), 130U);
}

}  // namespace
}  // namespace assay::report
