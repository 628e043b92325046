// Planned cases: what their words say stands there, something is right for each, and together they show it
// all.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "properties/cases/meetings.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/plain_start.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/values_plan.hpp"
#include "properties/large/large_problem.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

KernelTraits traits_with_tile() {
  KernelTraits traits;
  traits.tile = {64, 64, 32};
  return traits;
}

// A planned case that nothing can be said about would make every run vacuous.
TEST(PlannedCases, EachIsJudgedAndTheirWordsAreAllShown) {
  for (const std::string& name : operation_names()) {
    const Operation& operation = find_operation(name);
    const auto plan = plan_values(operation, traits_with_tile());
    Coverage shown;
    std::size_t telling = 0;
    for (const Case& one : plan.cases) {
      EXPECT_FALSE(is_large(operation.declaration(), one.dims))
          << "a sample shows no words: " << to_line(one);
      const Problem problem = operation.make_problem(one);
      std::vector<Expectation> right;
      ASSERT_NO_THROW(right = operation.expect(problem, {})) << to_line(one);
      for (const Expectation& each : right) telling += telling_elements(each);
      cover_planned(operation.declaration(), one, shown);
      cover_shape(operation.declaration(), traits_with_tile().tile, one, shown);
    }
    EXPECT_TRUE(plan.cases.empty() || telling > 0) << name;
    for (const PlannedRegime& planned : operation.declaration().planned) {
      for (const std::string& words : planned.regime.knobs.front().names)
        EXPECT_TRUE(shown.has(words)) << name << ": " << words;
    }
    EXPECT_EQ(shown.missing(plan.wanted), std::vector<std::string>{}) << name;
  }
}

// What is wanted must not hang on what a kernel does not take: a kernel of one row has no other to stay
// sound.
TEST(PlannedCases, AKernelOfOneRowIsAskedTheSame) {
  KernelTraits traits = traits_with_tile();
  traits.requirements["M"] = {.min = {}, .max = 1, .one_of = {}};
  const Operation& operation = find_operation("gemm_fp4");
  const auto plan = plan_values(operation, traits);
  Coverage shown;
  for (const Case& one : plan.cases) {
    EXPECT_EQ(dim(one.dims, "M"), 1);
    cover_planned(operation.declaration(), one, shown);
  }
  EXPECT_TRUE(shown.has("A: infinity at the end of K"));
  EXPECT_TRUE(shown.has("scales: NaN at the end of N"));
}

// The only excuse from what a kernel's author is told never to be given.
TEST(PlannedCases, AreLeftOutWhereTheKernelRequiresIt) {
  const auto regimes_of = [](const char* operation, const KernelTraits& traits) {
    std::set<std::string> regimes;
    for (const Case& one : plan_values(find_operation(operation), traits).cases) regimes.insert(one.regime);
    return regimes;
  };
  for (const auto& [operation, name] :
       {std::pair{"gemm_trellis", "signs"}, {"moe_swiglu_trellis", "known_experts"}}) {
    KernelTraits traits = traits_with_tile();
    EXPECT_TRUE(regimes_of(operation, traits).contains(name));
    traits.requirements[name] = {.min = {}, .max = {}, .one_of = {1}};
    EXPECT_FALSE(regimes_of(operation, traits).contains(name));
    traits.requirements[name] = {.min = {}, .max = {}, .one_of = {2}};
    EXPECT_THROW(find_operation(operation).cases(traits), std::invalid_argument);
    traits.requirements[name] = {.min = {}, .max = {}, .one_of = {1}};
    EXPECT_THROW(find_operation("gemm_fp4").cases(traits), std::invalid_argument);
  }
}

// Drawn cases that are given such values keep their sizes, and are cases like any other.
TEST(PlannedCases, LendTheirValuesToDrawnOnes) {
  const Operation& operation = find_operation("gemm_u4");
  const KernelTraits traits = traits_with_tile();
  const CaseSpace cases = operation.cases(traits);
  std::set<std::string> regimes;
  for (std::uint64_t index = 0; index < 40; ++index) {
    const Case drawn = case_at(cases, 1, index);
    const Case given = with_planned_values(operation.declaration(), traits, drawn);
    EXPECT_EQ(given.dims, drawn.dims);
    EXPECT_NO_THROW(operation.check_case(given)) << to_line(given);
    EXPECT_NO_THROW(operation.check_knobs(given, traits.arithmetic)) << to_line(given);
    regimes.insert(given.regime);
  }
  EXPECT_EQ(regimes, (std::set<std::string>{kMeetings, kModelLike, "nothing", kPlainStart, kPlanted}));
}

TEST(PlantedValues, StandWhereTheirWordsSay) {
  const Operation& operation = find_operation("gemm_u4");
  std::set<std::string> found;
  for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
    if (one.regime != kPlanted) continue;
    const Problem problem = operation.make_problem(one);
    Coverage shown;
    cover_planned(operation.declaration(), one, shown);
    const std::size_t M = extent(one.dims, "M"), N = extent(one.dims, "N"), K = extent(one.dims, "K");
    const auto A = input(problem, "A").as<std::uint16_t>();
    const auto zeros = input(problem, "zeros").as<std::uint16_t>();
    const auto any_row = [&](std::size_t k, std::uint16_t bits) {
      for (std::size_t m = 0; m < M; ++m)
        if (A[m * K + k] == bits) return true;
      return false;
    };
    const auto check = [&](const char* words, bool there) {
      if (!shown.has(words)) return;
      EXPECT_TRUE(there) << words << ": " << to_line(one);
      found.insert(words);
    };
    check("A: infinity at the end of K", any_row(K - 1, 0x7C00));
    check("A: -infinity at the start of K", any_row(0, 0xFC00));
    bool last_row = false, last_column = false;
    for (std::size_t k = 0; k < K; ++k) last_row |= A[(M - 1) * K + k] == 0x7E00;
    for (std::size_t i = N - 1; i < zeros.size(); i += N) last_column |= zeros[i] == 0x7C00;
    check("A: NaN at the end of M", last_row);
    check("zeros: infinity at the end of N", last_column);
  }
  EXPECT_EQ(found.size(), 4U);
}

// An infinity that meets its opposite, or 0, is NaN, and then no kernel is told from one that gives NaN.
TEST(PlantedValues, AnInfinityOfAIsAnInfinityInItsRow) {
  const Operation& operation = find_operation("gemm_fp4");
  for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
    Coverage shown;
    cover_planned(operation.declaration(), one, shown);
    if (!shown.has("A: infinity at the end of M")) continue;
    const auto right = operation.expect(operation.make_problem(one), {}).front();
    const std::size_t N = extent(one.dims, "N"), last = (extent(one.dims, "M") - 1) * N;
    std::size_t infinite = 0;
    for (std::size_t n = 0; n < N; ++n) infinite += right.low[last + n] == HUGE_VAL ? 1 : 0;
    EXPECT_GT(infinite, N / 2) << to_line(one);
  }
}

TEST(Nothing, ColumnsOfNothingAreNanAndColumnsOfOneSignInfinite) {
  for (const char* name : {"gemm_fp4", "gemm_u4", "gemm_s4"}) {
    const Operation& operation = find_operation(name);
    for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
      if (one.regime != "nothing") continue;
      const auto right = operation.expect(operation.make_problem(one), {}).front();
      const std::size_t row = extent(one.dims, "N");
      EXPECT_TRUE(std::isnan(right.low[row])) << to_line(one);
      EXPECT_TRUE(std::isnan(right.low[row + 1])) << to_line(one);
      EXPECT_EQ(right.low[row + 2], HUGE_VAL) << to_line(one);
      EXPECT_TRUE(std::isfinite(right.low[row + 3])) << to_line(one);
      EXPECT_TRUE(std::isnan(right.low[3])) << "0 times the infinity of A: " << to_line(one);
      EXPECT_EQ(right.low[2], HUGE_VAL) << to_line(one);
      const std::size_t zeros = (extent(one.dims, "M") - 2) * row;
      EXPECT_TRUE(std::isnan(right.low[zeros + 2])) << "0 times infinite weights: " << to_line(one);
      EXPECT_EQ(right.low[zeros + 3], 0) << to_line(one);
    }
  }
}

// Each input begins with 64 equal elements, and goes on with others: who looks at the first few alone is
// misled.
TEST(PlainStarts, AreOfOneValueAndEndAfterSixtyFourElements) {
  constexpr std::size_t kPlain = 64;
  for (const std::string& name : operation_names()) {
    const Operation& operation = find_operation(name);
    std::set<std::string> shown;
    for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
      if (one.regime != kPlainStart) continue;
      const Problem problem = operation.make_problem(one);
      for (const PlainStart& start : operation.declaration().plain_starts) {
        const Tensor& tensor = input(problem, start.tensor);
        const std::size_t size = size_of(tensor.dtype), all = tensor.element_count();
        const auto same = [&](std::size_t i) {
          return std::equal(tensor.data.begin(), tensor.data.begin() + static_cast<std::ptrdiff_t>(size),
                            tensor.data.begin() + static_cast<std::ptrdiff_t>(i * size));
        };
        std::size_t equal = 1;
        while (equal < all && same(equal)) ++equal;
        if (equal < kPlain) continue;  // another case's
        shown.insert(start.tensor);
        EXPECT_LT(equal, all) << name << ": all of " << start.tensor << " is plain";
      }
    }
    for (const PlainStart& start : operation.declaration().plain_starts)
      EXPECT_TRUE(shown.contains(start.tensor)) << name << ": " << start.tensor;
  }
}

// A kernel that leaves out experts of no weight gives numbers where NaN is right.
TEST(Routes, AProbabilityOfZeroForAnExpertOfNanIsNan) {
  const Operation& operation = find_operation("moe_swiglu_trellis");
  for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
    Coverage shown;
    cover_planned(operation.declaration(), one, shown);
    if (!shown.has("a probability of 0 for an expert of NaN")) continue;
    const auto right = operation.expect(operation.make_problem(one), {}).front();
    const std::size_t N = extent(one.dims, "N");
    EXPECT_TRUE(std::isnan(right.low[0])) << to_line(one);
    EXPECT_TRUE(std::isfinite(right.low[N])) << to_line(one);
    return;
  }
  FAIL() << "no case shows it";
}

// Symbol 0 times an infinite scale is NaN, every other symbol infinite: rows of both kinds must be there.
TEST(RansScales, AnInfiniteScaleGivesRowsOfNanAndRowsOfInfinity) {
  const Operation& operation = find_operation("rans_gemm");
  for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
    Coverage shown;
    cover_planned(operation.declaration(), one, shown);
    if (!shown.has("scale: infinity")) continue;
    const auto right = operation.expect(operation.make_problem(one), {}).front();
    EXPECT_TRUE(std::isnan(right.low[0]));
    EXPECT_EQ(right.low[1], HUGE_VAL);
  }
}

TEST(Checksums, EachBitIsFlippedOnceInATileOfItsOwn) {
  const Operation& operation = find_operation("rans_gemm");
  std::uint32_t flipped = 0;
  for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
    if (one.regime != "checksums") continue;
    Case sound = one;
    sound.regime = "random";
    sound.knobs = {};
    const Problem damaged = operation.make_problem(one), whole = operation.make_problem(sound);
    const auto bad = input(damaged, "checksums").as<std::uint32_t>();
    const auto good = input(whole, "checksums").as<std::uint32_t>();
    for (std::size_t i = 0; i < bad.size(); ++i) {
      EXPECT_LE(std::popcount(bad[i] ^ good[i]), 1);
      EXPECT_EQ(flipped & (bad[i] ^ good[i]), 0U);
      flipped |= bad[i] ^ good[i];
    }
  }
  EXPECT_EQ(flipped, 0xFFFFFFFFU);
}

// The tile of the last stream is damaged, and no other; and the streams are such that a cut by two bytes
// falls between the two of one renormalisation, where a decoder that looks at the end once for each symbol
// reads on.
TEST(CutStreams, SpoilTheLastTileAloneAndFallBetweenTwoBytes) {
  for (const char* name : {"rans_decode", "rans_gemv", "rans_gemm"}) {
    const Operation& operation = find_operation(name);
    std::set<std::size_t> left;
    for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
      if (one.regime != "cut") continue;
      const Problem problem = operation.make_problem(one);
      for (const Expectation& right : operation.expect(problem, {})) {
        if (right.tensor != "status") continue;
        for (std::size_t tile = 0; tile < right.low.size(); ++tile)
          EXPECT_EQ(right.low[tile] == 0 && right.high[tile] == 0, tile + 1 < right.low.size())
              << to_line(one);
      }
      const auto frequencies = input(problem, "freq").as<std::uint16_t>();
      EXPECT_EQ(*std::max_element(frequencies.begin() + 1, frequencies.begin() + 16), 1) << "all are rare";
      left.insert(input(problem, "data").element_count() -
                  input(problem, "stream_offset").as<std::uint32_t>().back());
    }
    EXPECT_EQ(left.size(), 7u) << name;
    EXPECT_TRUE(left.contains(3) && left.contains(4) && left.contains(5)) << name;
  }
}

// What memory of an earlier tile would be taken for is infinite, and right are infinite sums. Each has a last
// element that is not.
TEST(LeftBehind, InfinityLiesBeforeTheLastTileAndSumsAreInfinite) {
  for (const char* name : {"gemm_fp4", "gemm_trellis", "moe_swiglu_trellis", "rans_gemm", "rans_gemv"}) {
    const Operation& operation = find_operation(name);
    std::size_t infinite = 0, nan = 0, shown = 0;
    for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
      if (one.regime != "left_behind") continue;
      ++shown;
      const Problem problem = operation.make_problem(one);
      const auto right = operation.expect(problem, {}).front();
      infinite += static_cast<std::size_t>(
          std::count_if(right.low.begin(), right.low.end(), [](double v) { return std::isinf(v); }));
      nan += static_cast<std::size_t>(
          std::count_if(right.low.begin(), right.low.end(), [](double v) { return std::isnan(v); }));
      for (const Tensor& tensor : problem.inputs) {
        if (tensor.name != "A" && tensor.name != "x") continue;
        const std::size_t length = tensor.shape.back();
        for (std::size_t i = length - 1; i < tensor.element_count(); i += length)
          EXPECT_TRUE(std::isfinite(decode(tensor, i))) << to_line(one);
      }
    }
    EXPECT_GE(shown, 2u) << name;
    EXPECT_GE(infinite, 9 * shown) << name;
    EXPECT_EQ(nan, 0u) << name;
  }
}

// Half of the sum comes to more than a half holds, or tells apart, and all of it to far less.
TEST(Rises, SumsAreFarLargerOnTheWayThanInTheEnd) {
  struct Row {
    const char* operation;
    const char* input;
    bool exact;
  };
  for (const auto& [name, given, exact] : {Row{"gemm_fp4", "A", true},
                                           {"gemm_trellis", "A", true},
                                           {"rans_gemm", "x", false},
                                           {"rans_gemv", "x", false}}) {
    const Operation& operation = find_operation(name);
    std::size_t shown = 0;
    for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
      if (one.regime != "rises") continue;
      ++shown;
      const Problem whole = operation.make_problem(one);
      Problem half = whole;
      Tensor& of_half = input(half, given);
      const std::size_t K = of_half.shape.back(), size = size_of(of_half.dtype);
      for (std::size_t i = 0; i < of_half.element_count(); ++i)
        if (2 * (i % K) >= K)
          std::fill_n(of_half.data.begin() + static_cast<std::ptrdiff_t>(i * size), size, std::byte{});
      const auto end = operation.expect(whole, {}).front(), middle = operation.expect(half, {}).front();
      for (std::size_t i = 0; i < end.low.size(); ++i) {
        EXPECT_TRUE(!exact || end.low[i] == end.high[i]) << "one value is right: " << to_line(one);
        EXPECT_GT(std::fabs(middle.value[i]), one.knobs.at("size") == 0 ? 65504 : 2048) << to_line(one);
        EXPECT_LT(std::fabs(end.value[i]), std::fabs(middle.value[i]) / 4) << to_line(one);
        EXPECT_LT(end.high[i], one.knobs.at("size") == 0 ? 65504 : 2048) << to_line(one);
      }
    }
    EXPECT_GE(shown, 1u) << name;
  }
}

// Gates rise along K; hidden values of both signs make the sum of down rise and fall.
TEST(Rises, SumsOfExpertsEndInRange) {
  const Operation& operation = find_operation("moe_swiglu_trellis");
  std::set<std::int64_t> shown;
  for (const Case& one : plan_values(operation, traits_with_tile()).cases) {
    if (one.regime != "rises") continue;
    shown.insert(one.knobs.at("size"));
    EXPECT_EQ(dim(one.dims, one.knobs.at("size") == 0 ? "K" : "intermediate"), 4136);
    const auto right = operation.expect(operation.make_problem(one), {}).front();
    for (std::size_t i = 0; i < right.low.size(); ++i) {
      EXPECT_LT(std::fabs(right.value[i]), 30'000) << to_line(one);
      EXPECT_TRUE(std::isfinite(right.low[i]) && std::isfinite(right.high[i])) << to_line(one);
    }
  }
  EXPECT_EQ(shown, (std::set<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace assay::properties
