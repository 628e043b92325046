// What is right for a golden file, for parts of it and for kernels of other arithmetic: what the file says,
// as far as it can.
#include "harness/run/golden_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <optional>
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

// Varies operations, sizes, values and ranges: what is kept of the file's answers for some rows and columns
// is what the reference says of the part alone, and a range of what is summed is solved again.
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
        for (std::size_t i = 0; i < own.size(); ++i)
          EXPECT_TRUE(same(given.expected.at(i), own[i])) << to_line(one);
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

/// The one that is longest along that dimension.
golden::FileSummary longest_file(const std::string& operation, const char* dimension) {
  auto files = golden::read_set(kSets);
  std::erase_if(files, [&](const auto& file) { return file.operation != operation; });
  return *std::max_element(files.begin(), files.end(), [=](const auto& a, const auto& b) {
    return a.dims.at(dimension) < b.dims.at(dimension);
  });
}

class Edited : public testing::Test {
 protected:
  Edited()
      : path_(fs::temp_directory_path() / ("assay-edited-" + std::to_string(getpid()) + ".safetensors")) {}
  ~Edited() override { fs::remove(path_); }
  fs::path path_;
};

// Of a file that says of one element otherwise than the reference does, the file counts, and of a part too.
TEST_F(Edited, AFileJudgesAndNotTheReference) {
  tests::edited(longest_file("dequantize_fp4", "N").path, path_,
                [](golden::Dataset& data) { tests::change_expected(data, "W", 0, 0x7BFF); });
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

struct Chains {
  golden::FileSummary file;
  std::size_t different = 0,
              alike = 0;  ///< elements for which a chain in floats gives another half, and the same
};

/// A file of U4 weights that shows both.
std::optional<Chains> file_of_chains(const Arithmetic& other) {
  for (const auto& file : golden::read_set(kSets)) {
    if (file.operation != "dequantize_u4") continue;
    const auto stored = GoldenProblem(file.path, file.arithmetic).given(whole_case(file));
    const auto ours = properties::find_operation(file.operation).expect(stored.problem, other);
    std::optional<std::size_t> different, alike;
    for (std::size_t i = 0; i < ours[0].low.size(); ++i) {
      const double one = stored.expected.at(0).low[i], two = ours[0].low[i];
      if (one == two) alike = i;
      if (one != two && !std::isnan(one) && !std::isnan(two)) different = i;
    }
    if (different && alike) return Chains{file, *different, *alike};
  }
  return std::nullopt;
}

// Of an element that is edited the file's word counts where arithmetic makes no difference, and both count
// where it does; all others have the answers of the kernel's arithmetic.
TEST_F(Edited, AFileForOtherArithmeticIsCarriedOver) {
  const Arithmetic other{Precision::float_precision, Precision::float_precision};
  const auto chains = file_of_chains(other);
  ASSERT_TRUE(chains.has_value());
  const auto& operation = properties::find_operation("dequantize_u4");
  const auto carried = GoldenProblem(chains->file.path, other).given(whole_case(chains->file));
  const auto ours = operation.expect(carried.problem, other);
  EXPECT_TRUE(same(carried.expected.at(0), ours.at(0)));
  tests::edited(chains->file.path, path_, [&](golden::Dataset& data) {
    tests::change_expected(data, "W", chains->different, 0x7BFF);
    tests::change_expected(data, "W", chains->alike, 0x7BFF);
  });
  const auto changed = GoldenProblem(path_, other).given(whole_case(golden::summarize(path_))).expected.at(0);
  EXPECT_EQ(changed.low[chains->alike], 65504);
  EXPECT_EQ(changed.low[chains->different], ours[0].low[chains->different]);
  EXPECT_EQ(changed.high[chains->different], 65504);
}

// A replay line may name any file and any part.
TEST(GoldenProblem, CasesOfOtherFilesAndPartsThatAreNoneAreRefused) {
  const auto file = longest_file("gemm_fp4", "K");
  const GoldenProblem golden(file.path, file.arithmetic);
  const auto refused = [&](const std::function<void(Case&)>& change) {
    Case one = whole_case(file);
    change(one);
    return error_of([&] { golden.given(one); });
  };
  EXPECT_EQ(refused([](Case&) {}), "no error");
  EXPECT_THAT(refused([](Case& one) { one.golden = "other"; }),
              HasSubstr("golden: the case belongs to other"));
  EXPECT_THAT(refused([](Case& one) { ++one.dims["N"]; }), HasSubstr("N: is"));
  EXPECT_THAT(refused([](Case& one) { one.part["N"] = {0, std::size_t{1} << 40}; }), HasSubstr("part.N="));
  EXPECT_THAT(refused([](Case& one) { one.part["N"] = {5, 5}; }), HasSubstr("part.N="));
  EXPECT_THAT(refused([](Case& one) { one.part["group_size"] = {0, 1}; }), HasSubstr("part.group_size"));
  EXPECT_THAT(refused([](Case& one) { one.part["J"] = {0, 1}; }), HasSubstr("part.J"));
  EXPECT_THAT(refused([](Case& one) {
                one.part["K"] = {0, 1};
              }),
              HasSubstr("part.K: the nearest part that can be cut out is"));
}

}  // namespace
}  // namespace assay::run
