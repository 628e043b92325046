// Causes: the same for every case with one fault, different for another fault.
#include "harness/run/cause.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace assay::run {
namespace {

device::Fault fault(device::FaultKind kind, std::uint32_t line) {
  device::Fault one;
  one.kind = kind;
  one.message = "thread 7 of 32";
  one.place = {"k.metal", line};
  return one;
}

TEST(Cause, OfFaultsIsTheDecisiveOnesPlace) {
  Evidence evidence;
  evidence.report.faults = {fault(device::FaultKind::deadlock, 3), fault(device::FaultKind::race, 9)};
  EXPECT_EQ(cause_of(Verdict::race, evidence), "race at k.metal:9");
  evidence.report.faults[1].count = 77;
  evidence.report.faults[1].message = "thread 9 of 64";
  EXPECT_EQ(cause_of(Verdict::race, evidence), "race at k.metal:9");
}

TEST(Cause, OfAFaultWithoutAPlaceIsItsWordsWithoutNumbers) {
  Evidence evidence;
  evidence.report.faults = {fault(device::FaultKind::over_budget, 0)};
  evidence.report.faults[0].place = {};
  EXPECT_EQ(cause_of(Verdict::over_budget, evidence), "over budget: thread # of #");
}

TEST(Cause, OfResultsIsTheTensorAndWhatIsWrongWithIt) {
  Evidence evidence;
  EXPECT_EQ(cause_of(Verdict::wrong_result, evidence), "wrong result");
  evidence.second_run = {{}};
  evidence.second_run[0].tensor = "C";
  EXPECT_EQ(cause_of(Verdict::wrong_result, evidence), "wrong result: elements of C differ on a second run");
  evidence.changed_inputs = {"A"};
  EXPECT_EQ(cause_of(Verdict::wrong_result, evidence), "wrong result: the kernel wrote to its input A");
  Comparison wrong;
  wrong.tensor = "C";
  wrong.wrong = {{}, {}};
  evidence.comparisons = {wrong};
  EXPECT_EQ(cause_of(Verdict::wrong_result, evidence), "wrong result: elements of C are wrong");
  evidence.comparisons[0].never_written = 1;
  EXPECT_EQ(cause_of(Verdict::wrong_result, evidence), "wrong result: elements of C are wrong");
  evidence.comparisons[0].never_written = 2;
  EXPECT_EQ(cause_of(Verdict::wrong_result, evidence), "wrong result: elements of C are never written");
}

TEST(Cause, OfAnEndIsNoAddress) {
  process::Death death;
  death.signal = 11;
  death.address = 4096;
  death.place = {"k.metal", 5};
  EXPECT_EQ(cause_of_end(Verdict::crash, death), "crash: signal 11 (Segmentation fault), at k.metal:5");
  EXPECT_EQ(cause_of_end(Verdict::timeout, death), "timeout");
}

TEST(Cause, RunsOfNumbersAreOne) {
  EXPECT_EQ(without_numbers("codes 1, 9; all of the 7417 elements"), "codes #; all of the # elements");
  EXPECT_EQ(without_numbers("groups 1-3, 5, 7-9 hold 0.5 x what"), "groups # hold # x what");
  EXPECT_EQ(without_numbers("1.5e-05."), "#.");
  EXPECT_EQ(without_numbers("no numbers, none"), "no numbers, none");
  EXPECT_EQ(without_numbers(""), "");
  EXPECT_EQ(without_numbers("7"), "#");
}

VerifyOptions asking(bool answer) {
  VerifyOptions options;
  options.counted = [=](Verdict, const std::string&, const properties::Case&) { return answer; };
  return options;
}

TEST(Counted, IsAskedOfRejectionsOnlyAndTold) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  const process::Reporter reporter(fds[1]);
  EXPECT_FALSE(counted({}, reporter, Verdict::race, "race", {}));
  EXPECT_FALSE(counted(asking(false), reporter, Verdict::race, "race", {}));
  EXPECT_FALSE(counted(asking(true), reporter, Verdict::error, "error", {}));
  EXPECT_TRUE(counted(asking(true), reporter, Verdict::race, "race at k.metal:1", {}));
  close(fds[1]);
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(fds[0], text.data(), text.size()))));
  close(fds[0]);
  EXPECT_NE(text.find("race at k.metal:1"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

}  // namespace
}  // namespace assay::run
