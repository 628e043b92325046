// The face, as a user sees it: verification, replay, launches, described kernels.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <unistd.h>

#include <algorithm>
#include <assay/gtest.hpp>
#include <assay/operation.hpp>
#include <memory>
#include <sstream>

namespace {

using assay::Mode;
using assay::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string kManifest = ASSAY_SOURCE_DIR "/tests/library/kernels.toml";

assay::Kernels kernels() { return assay::load_manifest(kManifest); }

// The tests that this makes are part of this program: Face.right/fast and so on.
ASSAY_KERNEL_TESTS(Face, ASSAY_SOURCE_DIR "/tests/library/right.toml", {.cases = 60});

TEST(Verify, RightKernelPassesInBothModes) {
  const auto found = assay::verify(kernels()["right"], {.cases = 60, .numerics = "strict"});
  EXPECT_TRUE(found);
  ASSERT_EQ(found.modes().size(), 2U);
  EXPECT_EQ(found.modes()[0].mode, Mode::fast);
  EXPECT_EQ(found.modes()[1].mode, Mode::checked);
  const auto fewer = assay::verify(kernels()["right"], {.cases = 20, .numerics = "strict"});
  for (const std::size_t mode : {0U, 1U}) {
    const auto planned = found.modes()[mode].cases - 60;
    EXPECT_GT(planned, 2U) << "large ones, and values in planned places";
    EXPECT_EQ(fewer.modes()[mode].cases, 20 + planned) << "the same beside however many are drawn";
  }
}

TEST(Verify, KnowsTheOptionsOfTheProgram) {
  const auto right = kernels()["right"];
  const auto all = assay::verify(right, {.cases = 5});
  EXPECT_EQ(all.modes().size(), 5U) << "fast, checked and three of other arithmetic, as the program has it";
  EXPECT_GT(all.modes()[0].coverage.at("regime any"), 0U);
  const auto one = assay::verify(right, {.mode = Mode::contracted, .at = {"N=9,K=16,group_size=8"}});
  ASSERT_EQ(one.modes().size(), 1U);
  EXPECT_EQ(one.modes()[0].mode, Mode::contracted);
  EXPECT_LT(one.modes()[0].cases, 20U);
  const std::string json = testing::TempDir() + fmt::format("assay-library-{}.json", getpid());
  const auto covered = assay::verify(right, {.cases = 5, .mode = Mode::fast, .coverage = true, .json = json});
  EXPECT_THAT(covered.modes()[0].branches, HasSubstr("conditions were both true and false"));
  EXPECT_TRUE(std::filesystem::remove(json));
  EXPECT_THAT([&] { assay::verify(right, {.mode = Mode::checked, .exhaustive = true}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("--exhaustive")));
  EXPECT_THAT([&] { assay::verify(right, {.at = {"N=x"}}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("--at")));
}

TEST(Verify, AssertionShowsTheWholeReport) {
  static const auto found = assay::verify(kernels()["without_signs"], {.mode = Mode::fast});
  EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(found), "WRONG RESULT");
  EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(found), "assay replay");
  std::ostringstream printed;
  printed << found;
  EXPECT_THAT(printed.str(), HasSubstr(found.decisive().report));
}

TEST(Verify, WhatCannotBeJudgedIsNoPass) {
  const auto found = assay::verify(kernels()["short"], {.mode = Mode::fast});
  EXPECT_EQ(found.verdict(), Verdict::vacuous);
  EXPECT_FALSE(found.passed());
}

TEST(Verify, CrashIsAVerdict) {
  EXPECT_EQ(assay::verify(kernels()["crashing"], {.cases = 60, .mode = Mode::fast}).verdict(),
            Verdict::crash);
}

TEST(Verify, UnknownDeviceIsAnError) {
  EXPECT_THAT([] { assay::verify(kernels()["right"], {.device = "abacus"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("there are simulated")));
}

TEST(Replay, TakesTheLineOfAFailureAndTheCaseAlone) {
  const auto kernel = kernels()["without_signs"];
  const auto found = assay::verify(kernel, {.mode = Mode::fast});
  const std::string line = found.decisive().replay;
  EXPECT_EQ(assay::replay(kernel, line).verdict(), Verdict::wrong_result);
  EXPECT_EQ(assay::replay(kernel, line.substr(line.find("operation="))).verdict(), Verdict::wrong_result);
  EXPECT_TRUE(assay::replay(kernels()["right"], line));
  EXPECT_THROW(assay::replay(kernel, "operation=dequantize_fp4 regime=exact"), std::invalid_argument);
}

TEST(Kernels, NamesTheNamesThereAre) {
  EXPECT_THAT(kernels().names(),
              ElementsAre("right", "without_signs", "crashing", "outside", "short", "faulty"));
  EXPECT_THAT([] { kernels()["left"]; },
              ThrowsMessage<std::invalid_argument>(HasSubstr("there are right, without_signs")));
}

TEST(Kernels, FaultInOneEntrySaysNothingOfTheOthers) {
  EXPECT_NO_THROW(kernels()["right"]);
  EXPECT_THAT([] { kernels()["faulty"]; }, ThrowsMessage<assay::ManifestError>(HasSubstr("kernels.toml")));
  EXPECT_THROW(kernels().all(), assay::ManifestError);
}

assay::KernelDescription described() {
  return {.name = "right",
          .source = "kernels.metal",
          .operation = "dequantize_fp4",
          .arguments = {"B", "scales", "W", "N", "K", "group_size"},
          .threads_per_threadgroup = {32, 4, 1},
          .grid = {"elements"},
          .arithmetic = {{"dequantize", "half"}}};
}

TEST(DescribeKernel, IsVerifiedAsOneOfAManifestIs) {
  EXPECT_TRUE(assay::verify(assay::describe_kernel(described()), {.cases = 60, .mode = Mode::fast}));
}

TEST(DescribeKernel, ErrorsNameTheField) {
  auto without_operation = described();
  without_operation.operation = "matmul";
  EXPECT_THAT(
      [&] { assay::describe_kernel(without_operation); },
      testing::Throws<std::exception>(testing::Property(&std::exception::what, HasSubstr("operation"))));
  auto with_unknown = described();
  with_unknown.arguments[0] = "bias";
  EXPECT_THAT([&] { assay::describe_kernel(with_unknown); },
              testing::Throws<std::exception>(testing::Property(&std::exception::what, HasSubstr("bias"))));
}

assay::KernelDescription with_operation() {
  return {.name = "twice",
          .source = "own.metal",
          .arguments = {"x", "y"},
          .threads_per_threadgroup = {32, 1, 1},
          .grid = {"N", "1", "1"},
          .grid_unit = "threads",
          .dimensions = {{.name = "N", .largest = 64}},
          .tensors = {{.name = "x", .type = "float", .shape = {"N"}, .values = {.from_to = {{-2, 2}}}},
                      {.name = "y", .type = "float", .shape = {"N"}, .access = "out"}},
          .reference = "own.reference.cpp"};
}

TEST(DescribeKernel, StatesBuffersAndWhatIsRight) {
  EXPECT_TRUE(assay::verify(assay::describe_kernel(with_operation()), {.cases = 10, .mode = Mode::fast}));
  auto other = with_operation();
  other.reference_text = "void reference() { each(N, [&](Index n) { y(n) = 3 * x(n); }); }";
  other.reference.clear();
  EXPECT_EQ(assay::verify(assay::describe_kernel(other), {.cases = 10, .mode = Mode::fast}).verdict(),
            Verdict::wrong_result);
}

TEST(DescribeKernel, StatesBuffersAlone) {
  auto alone = with_operation();
  alone.reference.clear();
  EXPECT_TRUE(assay::verify(assay::describe_kernel(alone), {.cases = 10, .mode = Mode::checked}));
  alone.tensors[0].type = "floaty";
  EXPECT_THAT([&] { assay::describe_kernel(alone); },
              ThrowsMessage<assay::ManifestError>(testing::ContainsRegex("library_test.cpp:[0-9]+: .*type")));
}

// The place is that of the literal, which holds the text as it stands.
TEST(DescribeKernel, FaultsOfAReferenceHaveTheirLineInTheDescribingFile) {
  auto faulty = with_operation();
  faulty.reference.clear();
  constexpr unsigned literal = __LINE__ + 1;
  faulty.reference_text = R"(void reference() {
  each(N, [&](Index n) { y(n) = 2 * z(n); });
})";
  const auto found = assay::verify(assay::describe_kernel(faulty), {.cases = 10, .mode = Mode::fast});
  EXPECT_EQ(found.verdict(), Verdict::error);
  EXPECT_THAT(found.text(), HasSubstr(fmt::format("library_test.cpp:{}", literal + 1)));
  faulty.reference_text = "void answer() {}";
  EXPECT_THAT(assay::verify(assay::describe_kernel(faulty), {.cases = 10, .mode = Mode::fast}).text(),
              testing::ContainsRegex("library_test.cpp:[0-9]+: defines no function `void reference\\(\\)`"));
}

const assay::RegisterOperation kThirds({
    .name = "thirds",
    .dimensions = {{.name = "N", .largest = 64}},
    .tensors = {{.name = "x", .type = "float", .shape = {"N"}, .values = {.from_to = {{-2, 2}}}},
                {.name = "y", .type = "float", .shape = {"N"}, .access = "out"}},
    .expect =
        [](const assay::Problem& problem) {
          auto y = assay::make_tensor("y", assay::DType::f32, problem.outputs.at(0).shape);
          for (std::size_t i = 0; i < y.element_count(); ++i)
            assay::put_rounded(y, i, 3 * assay::decode(input(problem, "x"), i));
          return std::vector{assay::exactly(y)};
        },
    .fill =
        [](std::uint64_t seed, assay::Problem& problem) {
          assay::put_rounded(input(problem, "x"), 0, seed % 2 == 0 ? 1 : 2);
        },
});
const assay::RegisterOperation kWithoutOutput({
    .name = "without_output",
    .dimensions = {{.name = "N"}},
    .tensors = {{.name = "x", .type = "float", .shape = {"N"}}},
    .expect = [](const assay::Problem&) { return std::vector<assay::Expectation>(); },
});

assay::KernelDescription of_program(const std::string& operation) {
  auto kernel = with_operation();
  kernel.dimensions.clear();
  kernel.tensors.clear();
  kernel.reference.clear();
  kernel.operation = operation;
  return kernel;
}

TEST(RegisterOperation, FunctionOfTheProgramSaysWhatIsRight) {
  const auto kernel = assay::describe_kernel(of_program("thirds"));
  const auto found = assay::verify(kernel, {.cases = 10, .mode = Mode::fast});
  EXPECT_EQ(found.verdict(), Verdict::wrong_result) << "twice is not three times";
  EXPECT_EQ(assay::replay(kernel, found.decisive().replay).verdict(), Verdict::wrong_result);
  auto thrice = of_program("thirds");
  thrice.function = "thrice";
  EXPECT_TRUE(assay::verify(assay::describe_kernel(thrice), {.cases = 10}));
  const auto problem = assay::problem_of(assay::Case{"operation=thirds N=4 regime=stated seed=7"});
  EXPECT_EQ(input(problem, "x").as<float>()[0], 2.0F) << "what `fill` says";
}

TEST(RegisterOperation, FaultOfADescriptionNamesFileLineAndField) {
  EXPECT_THAT([] { assay::describe_kernel(of_program("without_output")); },
              ThrowsMessage<assay::ManifestError>(
                  testing::ContainsRegex("library_test.cpp:[0-9]+: operation.tensors: has no output")));
}

assay::Problem problem_of(std::int64_t columns) {
  return assay::problem_of(
      assay::Case{fmt::format("operation=dequantize_fp4 K=16 N={} group_size=8 regime=any seed=7", columns)});
}

TEST(Launch, GivesTheOutputsInBothKindsOfProcess) {
  const auto kernel = kernels()["right"];
  const auto isolated = assay::launch(kernel, problem_of(5));
  const auto here = assay::launch(kernel, problem_of(5), {.isolated = false});
  EXPECT_EQ(isolated["W"].shape, (std::vector<std::size_t>{16, 5}));
  EXPECT_EQ(isolated["W"].data, here["W"].data);
  EXPECT_THAT([&] { isolated["C"]; }, ThrowsMessage<std::invalid_argument>(HasSubstr("there are W")));
}

TEST(Launch, CrashIsAFailureOfTheLaunchAlone) {
  EXPECT_NO_THROW(assay::launch(kernels()["crashing"], problem_of(3)));
  EXPECT_THAT([] { assay::launch(kernels()["crashing"], problem_of(4)); },
              ThrowsMessage<assay::LaunchFailure>(HasSubstr("Segmentation fault")));
}

TEST(Launch, FaultsAreFailures) {
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    EXPECT_THAT([&] { assay::launch(kernels()["outside"], problem_of(4), {.mode = mode}); },
                ThrowsMessage<assay::LaunchFailure>(HasSubstr("out of bounds")));
  }
}

ASSAY_PROPERTY(Properties, ExpectationsHoldOfARightKernel, "kernels.toml", "right", (assay::Run & run)) {
  const auto problem = run.problem();
  const auto expected = run.expect(problem).at(0);
  const auto outputs = run.launch(problem);
  RC_ASSERT(outputs["W"].element_count() == expected.value.size());
}

// An operation of the manifest's own has no name that the whole program knows.
ASSAY_PROPERTY(Properties, HoldOfAnOperationOfTheManifest, "own.toml", "twice", (assay::Run & run)) {
  const auto problem = run.problem();
  RC_ASSERT(problem.operation == "doubling");
  RC_ASSERT(run.launch(problem)["y"].element_count() == run.expect(problem).at(0).value.size());
}

// What rapidcheck shrinks a crash to: the fewest columns that crash.
TEST(Properties, FailuresShrink) {
  const auto kernel = kernels()["crashing"];
  std::int64_t fewest = 1000;
  const bool held = rc::check([&] {
    const assay::Run run(kernel);
    const auto problem = run.problem();
    try {
      run.launch(problem);
    } catch (const assay::LaunchFailure&) {
      fewest = std::min(fewest, problem.dims.at("N"));
      throw;
    }
  });
  EXPECT_FALSE(held);
  EXPECT_EQ(fewest, 4);
}

TEST(Properties, FailuresHaveThePlaceOfTheProperty) {
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(&failures);
    assay::detail::check_property("mine_test.cpp", 12, kManifest, "right",
                                  [](assay::Run& run) { RC_ASSERT(run.problem().dims.at("N") < 0); });
  }
  ASSERT_EQ(failures.size(), 1);
  EXPECT_STREQ(failures.GetTestPartResult(0).file_name(), "mine_test.cpp");
  EXPECT_EQ(failures.GetTestPartResult(0).line_number(), 12);
  EXPECT_THAT(failures.GetTestPartResult(0).message(), HasSubstr("operation=dequantize_fp4 K=1 N=1"));
}

TEST(KernelTests, AreOneForEachKernelAndModeAskedFor) {
  std::vector<std::string> names;
  for (const auto& one : assay::detail::plan_kernel_tests(kManifest, {.mode = Mode::checked}))
    names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("right/checked", "without_signs/checked", "crashing/checked",
                                 "outside/checked", "short/checked", "faulty/checked"));
}

TEST(KernelTests, ManifestThatCannotBeReadIsATestThatFails) {
  const auto planned = assay::detail::plan_kernel_tests("/no/such/kernels.toml", {});
  ASSERT_EQ(planned.size(), 1U);
  static std::unique_ptr<testing::Test> made;
  made.reset(planned[0].make());
  auto* const failing = dynamic_cast<assay::detail::FailingTest*>(made.get());
  ASSERT_NE(failing, nullptr);
  static assay::detail::FailingTest* runs;
  runs = failing;
  EXPECT_FATAL_FAILURE(runs->TestBody(), "/no/such/kernels.toml");
}

}  // namespace
