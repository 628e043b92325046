// What is right for a golden file, for parts of it and for kernels of other arithmetic: what the file says, as
// far as it can.
#include "harness/run/golden_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <set>

#include "harness/run/golden_cases.hpp"
#include "properties/cases/axes.hpp"
#include "properties/cases/flushing.hpp"
#include "reference/half.hpp"
#include "tests/error_of.hpp"
#include "tests/golden/edited.hpp"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using properties::Case;
using ::testing::HasSubstr;

const fs::path kSets = ASSAY_SOURCE_DIR "/golden/sets";

Case whole_case(const golden::FileSummary& file) {
  return {.operation = file.operation,
          .dims = file.dims,
          .regime = file.regime,
          .knobs = {},
          .seed = 0,
          .budget = 1,
          .schedule = {},
          .golden = file.path.string(),
          .part = {}};
}

bool same(const Expectation& a, const Expectation& b) {
  const auto equal = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return std::equal(a.low.begin(), a.low.end(), b.low.begin(), b.low.end(), equal) &&
         std::equal(a.high.begin(), a.high.end(), b.high.begin(), b.high.end(), equal);
}

bool takes_all(const Dims&) { return true; }

/// Two files of each operation.
std::vector<golden::FileSummary> some_files() {
  std::vector<golden::FileSummary> some;
  std::map<std::string, int> seen;
  for (auto& file : golden::read_set(kSets)) {
    if (seen[file.operation]++ % 5 == 3) some.push_back(std::move(file));
  }
  return some;
}

// Varies operations, sizes, values and ranges: what is kept of the file's answers for some rows and columns is
// what the reference says of the part alone, and a range of what is summed is solved again.
TEST(GoldenProblem, PartsHaveTheAnswersOfProblemsOfTheirOwn) {
  std::set<std::string> operations;
  std::size_t parts = 0;
  for (const auto& file : some_files()) {
    const auto& operation = properties::find_operation(file.operation);
    const GoldenProblem golden(file.path, file.arithmetic);
    Case at = whole_case(file);
    for (int step = 0; step < 4; ++step) {
      const auto simpler = golden.simpler(at, takes_all);
      if (simpler.empty()) break;
      for (const Case& one : simpler) {
        properties::Given given;
        std::vector<Expectation> own;
        try {
          given = golden.given(one);
          own = properties::right_answers(operation, given.problem, file.arithmetic);
        } catch (const std::invalid_argument&) {
          continue;  // no problem of the operation
        } catch (const properties::Unjudgeable&) {
          continue;
        }
        for (std::size_t i = 0; i < own.size(); ++i) EXPECT_TRUE(same(given.expected.at(i), own[i])) << to_line(one);
        ++parts;
        operations.insert(file.operation);
      }
      at = simpler.at(static_cast<std::size_t>(step) % simpler.size());
    }
  }
  EXPECT_GE(parts, 500u);
  EXPECT_GE(operations.size(), 10u);
}

TEST(GoldenProblem, PartsAreSmallerAndWithinTheCase) {
  for (const auto& file : some_files()) {
    const GoldenProblem golden(file.path, file.arithmetic);
    for (const Case& half : golden.simpler(whole_case(file), takes_all)) {
      for (const Case& one : golden.simpler(half, takes_all)) {
        std::int64_t before = 1, after = 1;
        for (const auto& [name, value] : half.dims) before *= value;
        for (const auto& [name, value] : one.dims) after *= value;
        EXPECT_LT(after, before) << to_line(one);
        for (const auto& [dimension, range] : half.part) {
          EXPECT_GE(one.part.at(dimension).begin, range.begin) << to_line(one);
          EXPECT_LE(one.part.at(dimension).end, range.end) << to_line(one);
        }
      }
    }
  }
}

class Edited : public testing::Test {
 protected:
  Edited() : path_(fs::temp_directory_path() / ("assay-edited-" + std::to_string(getpid()) + ".safetensors")) {}
  ~Edited() override { fs::remove(path_); }
  fs::path path_;
};

// Of a file that says of one element otherwise than the reference does, the file counts, and of a part too.
TEST_F(Edited, AFileJudgesAndNotTheReference) {
  const fs::path from = kSets / "dequantize_fp4-20261120-0005.safetensors";
  tests::edited(from, path_, [](golden::Dataset& data) { tests::change_expected(data, "W", 0, 0x7BFF); });
  const auto file = golden::summarize(path_);
  const GoldenProblem golden(path_, file.arithmetic);
  const Case all = whole_case(file);
  EXPECT_EQ(golden.given(all).expected.at(0).low.at(0), 65504);
  std::size_t with = 0;
  for (const Case& one : golden.simpler(all, takes_all)) {
    const bool first = std::all_of(one.part.begin(), one.part.end(),
                                   [](const auto& range) { return range.second.begin == 0; });
    EXPECT_EQ(golden.given(one).expected.at(0).low.at(0) == 65504, first) << to_line(one);
    with += first ? 1 : 0;
  }
  EXPECT_GE(with, 2u);
}

// U4 weights of a chain in floats are rounded once: other halves are right than those of a chain in halves.
TEST_F(Edited, AFileForOtherArithmeticIsCarriedOver) {
  const fs::path from = kSets / "dequantize_u4-20261120-0005.safetensors";
  auto file = golden::summarize(from);
  Arithmetic other = file.arithmetic;
  other.dequantize = Precision::float_precision;
  const auto& operation = properties::find_operation(file.operation);
  const properties::Given stored = GoldenProblem(from, file.arithmetic).given(whole_case(file));
  const auto carried = GoldenProblem(from, other).given(whole_case(file));
  const auto ours = operation.expect(carried.problem, other);
  EXPECT_TRUE(same(carried.expected.at(0), ours.at(0)));
  std::size_t at = 0, alike = 0;
  for (std::size_t i = 0; i < ours[0].low.size(); ++i) {
    const bool equal = stored.expected.at(0).low[i] == ours[0].low[i];
    (equal ? alike : at) = i;
  }
  ASSERT_NE(stored.expected[0].low[at], ours[0].low[at]) << "the file shows no difference between the chains";
  // An element that is edited keeps the file's word where arithmetic makes no difference, and has both where it does.
  tests::edited(from, path_, [&](golden::Dataset& data) {
    tests::change_expected(data, "W", at, 0x7BFF);
    tests::change_expected(data, "W", alike, 0x7BFF);
  });
  file = golden::summarize(path_);
  const auto changed = GoldenProblem(path_, other).given(whole_case(file)).expected.at(0);
  EXPECT_EQ(changed.low[alike], 65504);
  EXPECT_EQ(changed.low[at], ours[0].low[at]);
  EXPECT_EQ(changed.high[at], 65504);
}

// A replay line may name any file and any part.
TEST(GoldenProblem, CasesOfOtherFilesAndPartsThatAreNoneAreRefused) {
  const auto file = golden::summarize(kSets / "gemm_fp4-20261120-0020.safetensors");
  const GoldenProblem golden(file.path, file.arithmetic);
  const auto refused = [&](const std::function<void(Case&)>& change) {
    Case one = whole_case(file);
    change(one);
    return error_of([&] { golden.given(one); });
  };
  EXPECT_EQ(refused([](Case&) {}), "no error");
  EXPECT_THAT(refused([](Case& one) { one.golden = "other"; }), HasSubstr("golden: the case is of other"));
  EXPECT_THAT(refused([](Case& one) { ++one.dims["N"]; }), HasSubstr("N: is"));
  EXPECT_THAT(refused([](Case& one) { one.part["N"] = {0, std::size_t{1} << 40}; }), HasSubstr("part.N="));
  EXPECT_THAT(refused([](Case& one) { one.part["N"] = {5, 5}; }), HasSubstr("part.N="));
  EXPECT_THAT(refused([](Case& one) { one.part["group_size"] = {0, 1}; }), HasSubstr("part.group_size"));
  EXPECT_THAT(refused([](Case& one) { one.part["J"] = {0, 1}; }), HasSubstr("part.J"));
  EXPECT_THAT(refused([](Case& one) { one.part["K"] = {0, 1}; }), HasSubstr("part.K: can be cut at"));
}

}  // namespace
}  // namespace assay::run
