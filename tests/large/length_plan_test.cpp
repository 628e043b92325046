// Plans of operations that a manifest states: each size by itself past 16 bits, as far as the kernel takes
// it, and values that drawn ones seldom are.
#include "properties/large/length_plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "harness/verify/compare.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/values_plan.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/sample.hpp"
#include "properties/large/width_words.hpp"
#include "properties/stated/patterns.hpp"

namespace assay::properties {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;

/// A kernel without reference that gives each of M rows to a threadgroup, or as `threadgroups` says.
KernelEntry entry_with(const std::string& x, const std::string& more = "", const std::string& m = "\"M\"",
                       const std::string& threadgroups = "M", const std::string& y = "\"M\"") {
  return parse_manifest(
             "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\narguments = [\"x\", \"y\", \"N\"]\n"
             "threads_per_threadgroup = 64\ngrid = [\"" +
                 threadgroups + "\", 1, 1]\ndimensions = [" + m +
                 ", { name = \"N\", largest = 100 }]\ntensors = [\n  { name = \"x\", " + x +
                 " },\n  { name = \"y\", type = \"float\", shape = [" + y + "], access = \"out\" },\n]\n" +
                 more,
             "k.toml")
      .front();
}

WidthPlan lengths_of(const KernelEntry& entry) { return plan_lengths(entry, operation_of(entry), {}); }

std::int64_t longest(const WidthPlan& plan, const std::string& name) {
  std::int64_t most = 0;
  for (const Case& one : plan.cases) most = std::max(most, dim(one.dims, name));
  return most;
}

std::vector<double> values_of(const Problem& problem) {
  const Tensor& x = input(problem, "x");
  std::vector<double> values;
  for (std::size_t i = 0; i < x.element_count(); ++i) values.push_back(assay::decode(x, i));
  return values;
}

constexpr const char* kHalves = "type = \"half\", shape = [\"M\", \"N\"]";

// A product of squares loops along N for each of N x N elements: minutes at 4,096.
TEST(LengthPlan, SquaresOfThreadsStaySmall) {
  const auto entry =
      parse_manifest(
          "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\narguments = [\"x\", \"y\", \"N\"]\n"
          "threads_per_threadgroup = [16, 16]\ngrid = [\"N\", \"N\", 1]\ngrid_unit = \"threads\"\n"
          "dimensions = [\"N\"]\ntensors = [{ name = \"x\", type = \"half\", shape = [\"N\", \"N\"] },\n"
          "  { name = \"y\", type = \"float\", shape = [\"N\", \"N\"], access = \"out\" }]\n",
          "k.toml")
          .front();
  EXPECT_EQ(longest(lengths_of(entry), "N"), 256);
  const CaseSpace space = operation_of(entry).cases(traits_of(entry));
  for (std::uint64_t index = 0; index < 1000; ++index)
    EXPECT_LE(dim(case_at(space, 1, index).dims, "N"), 1024);
}

TEST(LengthPlan, TakesEachSizePastSixteenBitsWhateverIsDrawnOften) {
  const auto entry = entry_with(kHalves);
  const WidthPlan plan = lengths_of(entry);
  EXPECT_EQ(longest(plan, "M"), 65'541);
  EXPECT_EQ(longest(plan, "N"), 65'541);
  for (const char* tag : {"M = 4,096", "N = 4,096", "M past 2^16", "N past 2^16", "offset of x past 2^16"})
    EXPECT_THAT(plan.wanted, Contains(tag));
  Coverage reached;
  const Operation& operation = operation_of(entry);
  for (const Case& one : plan.cases) {
    operation.check_case(one);
    cover_lengths(operation.declaration(), one.dims, reached);
    cover_widths(operation.make_problem(one), reached);
  }
  EXPECT_EQ(reached.missing(plan.wanted), std::vector<std::string>{});
}

TEST(LengthPlan, AsksForNoMoreThanTheKernelTakes) {
  const WidthPlan plan = lengths_of(entry_with(kHalves, "requires = { N_max = 5000, N_multiple = 8 }\n"));
  EXPECT_EQ(longest(plan, "N"), 5000);
  EXPECT_THAT(plan.wanted, Contains("N past 2^12"));
  EXPECT_THAT(plan.wanted, Not(Contains("N past 2^15")));
  EXPECT_THAT(plan.wanted, Contains("M past 2^16"));
}

// A square of a long side would have 2^32 elements.
TEST(LengthPlan, KeepsTensorsSmallEnoughToBeRunWhole) {
  const auto entry = entry_with("type = \"uchar\", shape = [\"N\", \"N\"]");
  const WidthPlan plan = lengths_of(entry);
  EXPECT_EQ(longest(plan, "N"), 4096);
  EXPECT_THAT(plan.wanted, Contains("offset of x past 2^16"));
}

// The grid cuts M into a threadgroup a row, too many to be run whole more than once; where each row stands
// for itself, samples show more.
TEST(LengthPlan, LeavesSizesOfManyThreadgroupsToSamples) {
  const auto dear = entry_with(kHalves);
  const auto count = [](const WidthPlan& plan) {
    return std::count_if(plan.cases.begin(), plan.cases.end(),
                         [](const Case& one) { return dim(one.dims, "M") > 65'536; });
  };
  EXPECT_EQ(count(lengths_of(dear)), 1);
  const auto independent = entry_with(kHalves, "", "{ name = \"M\", independent = true }");
  const Operation& operation = operation_of(independent);
  const WidthPlan widths = plan_widths(independent, operation, std::size_t{8} << 30);
  EXPECT_THAT(widths.wanted, Contains("byte of x past 2^31"));
  EXPECT_TRUE(std::any_of(widths.cases.begin(), widths.cases.end(), [&](const Case& one) {
    return is_large(operation.declaration(), one.dims) && dim(one.dims, "M") > 65'536;
  }));
  EXPECT_EQ(count(plan_lengths(independent, operation, widths.cases)), 0);
  EXPECT_TRUE(plan_widths(dear, operation_of(dear), std::size_t{8} << 30).cases.empty())
      << "what a row gives may hang on others";
}

// Where M is no outermost axis, a repetition would cut through rows.
TEST(LengthPlan, RepeatsRowsAndNothingElse) {
  const auto entry =
      entry_with("type = \"half\", shape = [\"N\", \"M\"]", "", "{ name = \"M\", independent = true }");
  EXPECT_FALSE(operation_of(entry).can_repeat());
  const auto whole = entry_with(kHalves, "", "{ name = \"M\", independent = true }");
  const Operation& operation = operation_of(whole);
  Case large;
  for (const Case& one : plan_widths(whole, operation, std::size_t{8} << 30).cases)
    if (is_large(operation.declaration(), one.dims)) large = one;
  const Problem problem = make_large_problem(operation, large);
  const Tensor& x = input(problem, "x");
  const auto columns = static_cast<std::size_t>(dim(large.dims, "N"));
  const std::size_t held = x.data.size() / sizeof(std::uint16_t);
  EXPECT_EQ(held % columns, 0u);
}

std::vector<Problem> with_words(const KernelEntry& entry, const std::string& words) {
  const Operation& operation = operation_of(entry);
  std::vector<Problem> found;
  for (const Case& one : plan_values(operation, traits_of(entry)).cases) {
    Coverage shown;
    cover_planned(operation.declaration(), one, shown);
    if (shown.has(words)) found.push_back(operation.make_problem(one));
  }
  return found;
}

// What a run leaves out it says, with what to state; and nobody is asked for what takes no run's time.
TEST(LargeCases, SayWhatTheyLack) {
  const auto lacks = [](const KernelEntry& entry) {
    return what_large_cases_lack(entry, operation_of(entry));
  };
  EXPECT_THAT(lacks(entry_with(kHalves)), HasSubstr("say `independent = true` of dimension M"));
  EXPECT_EQ(lacks(entry_with(kHalves, "", "{ name = \"M\", independent = true }")), "");
  EXPECT_THAT(lacks(entry_with("type = \"half\", shape = [\"N\", \"M\"]", "",
                               "{ name = \"M\", independent = true }")),
              HasSubstr("M is not by itself the outermost axis"));
  EXPECT_THAT(lacks(entry_with("type = \"half\", shape = [\"M\", \"N\"], access = \"inout\"")),
              HasSubstr("x is given and changed"));
}

TEST(LargeCases, AskForNoWidthOfAStatedOperationThatTakesTooLongASum) {
  const auto entry =
      entry_with("type = \"half\", shape = [\"N\"]", "", "{ name = \"M\", independent = true }");
  const auto plan = plan_widths(entry, operation_of(entry), std::size_t{16} << 30);
  EXPECT_THAT(plan.dear, Contains(Key("offset of x past 2^16")));
  for (const auto& [tag, size] : plan.dear) EXPECT_THAT(plan.wanted, Not(Contains(tag)));
}

// A signed offset of floats goes wrong past 8 GiB; an index that 32 bits do not count is nobody's fault. With
// a row a threadgroup there are not so many: a launch has fewer than 2^32 threads.
TEST(LargeCases, TakeFloatsPastAsManyAsASignedIndexCountsAndNoTensorPast32Bits) {
  const auto entry = [](const char* threadgroups, const char* y) {
    return entry_with("type = \"char\", shape = [\"M\", \"N\"]", "", "{ name = \"M\", independent = true }",
                      threadgroups, y);
  };
  const auto wanted = [](const KernelEntry& of) {
    const auto plan = plan_widths(of, operation_of(of), std::size_t{16} << 30);
    for (const Case& one : plan.cases)
      EXPECT_LE(dim(one.dims, "M") * dim(one.dims, "N"), std::int64_t{1} << 32) << to_line(one);
    return plan.wanted;
  };
  EXPECT_THAT(wanted(entry("ceil(M / 64)", "\"M\", \"N\"")), Contains("offset of y past 2^31"));
  EXPECT_THAT(wanted(entry("ceil(M / 64)", "\"M\"")), Contains("byte of y past 2^32"))
      << "a size has 31 bits";
  EXPECT_THAT(wanted(entry("M", "\"M\"")), Not(Contains("byte of y past 2^31")));
}

// What the words of each say stands in the input.
TEST(Patterns, HoldWhatTheirWordsSay) {
  struct Row {
    const char* type;
    const char* words;
    bool (*holds)(const std::vector<double>&);
  };
  for (const Row& row : {
           Row{"char", "x: the least value everywhere",
               [](const std::vector<double>& x) { return std::set(x.begin(), x.end()) == std::set{-128.0}; }},
           Row{"char", "x: the least and the largest value",
               [](const std::vector<double>& x) {
                 return std::set(x.begin(), x.end()) == std::set{-128.0, 127.0};
               }},
           Row{"char", "x: what lies beside the ends and about the sign bit",
               [](const std::vector<double>& x) {
                 return std::set(x.begin(), x.end()) == std::set<double>{-128, -127, -2, -1, 0, 1, 126, 127};
               }},
           Row{"ushort", "x: what lies beside the ends and about the sign bit",
               [](const std::vector<double>& x) {
                 return std::set(x.begin(), x.end()) ==
                        std::set<double>{0, 1, 32766, 32767, 32768, 32769, 65534, 65535};
               }},
           Row{"uchar", "x: one value everywhere",
               [](const std::vector<double>& x) { return std::set(x.begin(), x.end()).size() == 1; }},
           Row{"uchar", "x: two values",
               [](const std::vector<double>& x) { return std::set(x.begin(), x.end()).size() == 2; }},
           Row{"uint", "x: long runs",
               [](const std::vector<double>& x) {
                 return std::set(x.begin(), x.end()).size() < x.size() / 3;
               }},
           Row{"half", "x: a beginning of ones",
               [](const std::vector<double>& x) { return x[0] == 1 && x[63] == 1 && x[64] != 1; }},
           Row{"half", "x: a few values far larger than others",
               [](const std::vector<double>& x) {
                 const auto large =
                     std::count_if(x.begin(), x.end(), [](double v) { return std::fabs(v) >= 256; });
                 return large > 0 && large < std::ssize(x) / 4;
               }},
           Row{"float", "x: zeros of both signs",
               [](const std::vector<double>& x) {
                 const auto zeros = [&](bool sign) {
                   return std::count_if(x.begin(), x.end(),
                                        [&](double v) { return v == 0 && std::signbit(v) == sign; });
                 };
                 return zeros(true) > 10 && zeros(false) > 10;
               }},
           Row{"float", "x: values whose squares overflow or are 0",
               [](const std::vector<double>& x) {
                 const auto count = [&](double from, double to) {
                   return std::count_if(x.begin(), x.end(),
                                        [&](double v) { return std::fabs(v) >= from && std::fabs(v) < to; });
                 };
                 return count(0x1p64, 0x1p128) > 10 && count(0x1p-126, 0x1p-75) > 10 &&
                        count(0x1p-11, 0x1p11) > 10;
               }},
           Row{"half", "x: subnormal numbers",
               [](const std::vector<double>& x) {
                 return std::any_of(x.begin(), x.end(),
                                    [](double v) { return v != 0 && std::fabs(v) < 0x1p-14; });
               }},
           Row{"bfloat", "x: the largest value everywhere",
               [](const std::vector<double>& x) {
                 return std::set(x.begin(), x.end()) == std::set{0x1.FEp127};
               }},
           Row{"float", "x: large values at the ends",
               [](const std::vector<double>& x) { return x.back() == 64; }},
           Row{"float", "x: large values at the ends",
               [](const std::vector<double>& x) {  // sums rise, and fall again
                 return x.front() > 0 && x[x.size() / 3 / 4] > 0 && x[x.size() / 3 - 6] < 0;
               }},
           Row{"char", "x: large values at the ends",
               [](const std::vector<double>& x) {
                 return x.back() == 127 && x.front() >= 0 && x[x.size() / 3 - 6] <= 0;
               }},
           Row{"half", "x: infinity before the last tile",
               [](const std::vector<double>& x) {
                 return std::count(x.begin(), x.end(), HUGE_VAL) == 3 && std::isfinite(x.back()) &&
                        std::all_of(x.begin(), x.end(), [](double v) { return v > 0; });
               }},
           Row{"half", "x: all far below 0",
               [](const std::vector<double>& x) {
                 return std::all_of(x.begin(), x.end(), [](double v) { return v <= -100 && v >= -256; });
               }},
           Row{"bfloat", "x: NaN at the end of N",
               [](const std::vector<double>& x) {
                 return std::count_if(x.begin(), x.end(), [](double v) { return std::isnan(v); }) == 1;
               }},
           Row{"float", "x: -infinity at the start of M",
               [](const std::vector<double>& x) { return std::count(x.begin(), x.end(), -HUGE_VAL) == 1; }},
       }) {
    const auto problems =
        with_words(entry_with("type = \"" + std::string(row.type) + "\", shape = [\"M\", \"N\"]"), row.words);
    ASSERT_FALSE(problems.empty()) << row.words;
    EXPECT_TRUE(row.holds(values_of(problems.back()))) << row.type << ": " << row.words;
  }
}

// Indices stay below what they lie in.
TEST(Patterns, KeepToTheValuesOfTheManifest) {
  const auto entry = entry_with("type = \"uint\", shape = [\"M\", \"N\"], values = { below = \"N\" }");
  const Operation& operation = operation_of(entry);
  std::set<std::string> regimes;
  for (const Case& one : plan_values(operation, traits_of(entry)).cases) {
    const Problem problem = operation.make_problem(one);
    for (const double value : values_of(problem))
      ASSERT_LT(value, static_cast<double>(dim(one.dims, "N"))) << to_line(one);
    regimes.insert(one.regime);
  }
  EXPECT_EQ(regimes, std::set<std::string>{kPatterns});
  const auto last = with_words(entry, "x: the largest value everywhere").back();
  EXPECT_EQ(values_of(last).front(), static_cast<double>(dim(last.dims, "N") - 1));
}

// Guards against a maximum of products that begins at -65,504, or at 0: no row of ordinary values, or of one
// extreme, gives products that all lie below.
TEST(Patterns, PutEachTwoInputsOnDifferentSidesOfZero) {
  for (int inputs = 1; inputs <= 5; ++inputs) {
    std::string tensors;
    for (int i = 0; i < inputs; ++i)
      tensors += fmt::format("  {{ name = \"x{}\", type = \"half\", shape = [\"N\"] }},\n", i);
    const auto entry =
        parse_manifest(
            "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\narguments = [\"y\"]\n"
            "threads_per_threadgroup = 32\ngrid = [1, 1, 1]\ndimensions = [\"N\"]\ntensors = [\n" +
                tensors + "  { name = \"y\", type = \"float\", shape = [\"N\"], access = \"out\" },\n]\n",
            "k.toml")
            .front();
    std::set<std::pair<int, int>> apart;
    std::set<int> below;
    for (const Pattern pattern : patterns_of(*entry.stated)) {
      for (int i = 0; i < inputs; ++i) {
        if (!is_below(*entry.stated, entry.stated->tensors.at(i), pattern)) continue;
        below.insert(i);
        for (int j = 0; j < inputs; ++j) {
          if (!is_below(*entry.stated, entry.stated->tensors.at(j), pattern)) apart.insert(std::minmax(i, j));
        }
      }
    }
    EXPECT_EQ(std::ssize(below), inputs);
    EXPECT_EQ(std::ssize(apart), inputs * (inputs - 1) / 2);
  }
}

TEST(Patterns, SayWhichInputsLieBelow) {
  const auto entry = parse_manifest(
                         "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\narguments = [\"q\", \"k\", \"y\"]\n"
                         "threads_per_threadgroup = 32\ngrid = [1, 1, 1]\ndimensions = [\"N\"]\ntensors = [\n"
                         "  { name = \"q\", type = \"half\", shape = [\"N\"] },\n"
                         "  { name = \"k\", type = \"half\", shape = [\"N\"] },\n"
                         "  { name = \"y\", type = \"float\", shape = [\"N\"], access = \"out\" },\n]\n",
                         "k.toml")
                         .front();
  for (const auto& [words, sign] : {std::pair{"q: all far below 0; k: all far above", -1.0},
                                    {"k: all far below 0; q: all far above", 1.0}}) {
    const auto problems = with_words(entry, words);
    ASSERT_FALSE(problems.empty()) << words;
    for (std::size_t i = 0; i < input(problems[0], "q").element_count(); ++i) {
      EXPECT_GE(assay::decode(input(problems[0], "q"), i) * sign, 100);
      EXPECT_LE(assay::decode(input(problems[0], "k"), i) * sign, -100);
    }
  }
}

TEST(Patterns, AreLeftOutWhereTheInputNeverHoldsThem) {
  const auto has = [](const KernelEntry& entry, const std::string& words) {
    return !with_words(entry, words).empty();
  };
  const std::string never = std::string(kHalves) + ", never = [\"NaN\", \"infinity\", \"extremes\", \"-0\"]";
  for (const char* words : {"x: NaN at the end of N", "x: infinity at the end of N",
                            "x: the largest value everywhere", "x: zeros of both signs"}) {
    EXPECT_TRUE(has(entry_with(kHalves), words)) << words;
    EXPECT_FALSE(has(entry_with(never), words)) << words;
  }
  EXPECT_TRUE(has(entry_with(never), "x: long runs"));
  EXPECT_FALSE(
      has(entry_with(std::string(kHalves) + ", values = { from = 0, to = 1 }"), "x: NaN at the end of N"));
}

}  // namespace
}  // namespace assay::properties
