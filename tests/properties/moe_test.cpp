// A layer of experts: what its generator reaches, and what is refused before anything runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "properties/cases/search.hpp"
#include "properties/cases/special_values.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

const Operation& moe() { return find_operation("moe_swiglu_trellis"); }

Case small_case(std::int64_t routing) {
  return {.operation = "moe_swiglu_trellis",
          .dims = {{"M", 4},
                   {"N", 5},
                   {"K", 20},
                   {"intermediate", 17},
                   {"num_experts", 3},
                   {"top_k", 2},
                   {"group_size", 8},
                   {"bits", 3},
                   {"n_levels", 7}},
          .regime = "random",
          .knobs = {{"routing", routing}},
          .seed = 5};
}

TEST(MoeGenerator, ACaseOfEachRoutingIsWhatItsNameSays) {
  const auto ids_of = [](std::int64_t routing) {
    const auto problem = moe().make_problem(small_case(routing));
    const auto ids = input(problem, "expert_ids").as<std::uint32_t>();
    return std::vector<std::uint32_t>(ids.begin(), ids.end());
  };
  const auto one = ids_of(1), twice = ids_of(2), none = ids_of(3), lone = ids_of(4);
  EXPECT_EQ(std::set<std::uint32_t>(one.begin(), one.end()).size(), 1U);
  for (std::size_t token = 0; token < 4; ++token) EXPECT_EQ(twice[2 * token], twice[2 * token + 1]);
  EXPECT_THAT(none, ::testing::Each(::testing::Ge(1U)));
  EXPECT_EQ(std::count(lone.begin(), lone.end(), 0U), 1);
}

// A kernel that looks at one token too few in a tile of 16 passes over an expert that only the last one
// needs.
TEST(MoeGenerator, AnExpertServesTheLastTokenOfATileAlone) {
  const KernelTraits traits = {.tile = {16, 64, 32}, .requirements = {}, .arithmetic = {}};
  for (const std::uint64_t seed : {1, 2, 3}) {
    int found = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Case drawn = case_at(moe().cases(traits), seed, i);
      if (knob_of(drawn, "routing") != 4 || dim(drawn.dims, "num_experts") == 1) continue;
      const auto problem = moe().make_problem(drawn);
      const auto ids = input(problem, "expert_ids").as<std::uint32_t>();
      const auto at = std::find(ids.begin(), ids.end(), 0U) - ids.begin();
      found += at / dim(drawn.dims, "top_k") % 16 == 15;
    }
    EXPECT_GE(found, 2) << "seed " << seed;
  }
}

TEST(MoeGenerator, HundredCasesReachEveryRoutingAndIndex) {
  const KernelTraits traits = {.tile = {16, 64, 32}, .requirements = {}, .arithmetic = {}};
  for (const std::uint64_t seed : {1, 2, 3}) {
    Coverage coverage;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const Case test_case = case_at(moe().cases(traits), seed, i);
      cover_shape(moe().declaration(), traits.tile, test_case, coverage);
      moe().cover(moe().make_problem(test_case), coverage);
    }
    std::vector<std::string> wanted = moe().wanted_coverage();
    for (const char* tag :
         {"M = tile", "M = tile + 1", "N > 2 tile", "K % tile != 0", "intermediate = tile + 1",
          "intermediate = 1", "regime probe", "regime random", "regime steep", "regime special"}) {
      wanted.push_back(tag);
    }
    EXPECT_THAT(coverage.missing(wanted), IsEmpty()) << "seed " << seed;
  }
}

// What the carried bound is worth: a random case leaves few halves to an element.
TEST(MoeExpectation, IsNarrow) {
  const auto problem = moe().make_problem(small_case(0));
  const auto expected = moe().expect(problem, {}).at(0);
  double width = 0, size = 0;
  for (std::size_t i = 0; i < expected.low.size(); ++i) {
    width += expected.high[i] - expected.low[i];
    size += std::fabs(expected.value[i]);
  }
  EXPECT_LT(width, size * 0x1p-9);
}

TEST(MoeProblemFromAFile, IsRefusedByName) {
  const Problem right = moe().make_problem(small_case(0));
  EXPECT_NO_THROW(moe().expect(right, {}));
  const auto refused = [&](const std::function<void(Problem&)>& spoil, const char* what) {
    Problem problem = right;
    spoil(problem);
    EXPECT_THAT([&] { moe().expect(problem, {}); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what)));
  };
  refused([](auto& p) { input(p, "expert_probs").template as<float>()[5] = HUGE_VALF; },
          "expert_probs: element (2, 1) is inf, must be finite");
  refused([](auto& p) { p.dims["intermediate"] = 33; }, "gate_packed_indices: has shape [3, 2, 2, 96]");
  refused([](auto& p) { p.dims["num_experts"] = 2; }, "gate_packed_indices: has shape [3, 2, 2, 96]");
  refused([](auto& p) { p.dims["top_k"] = 0; }, "top_k=0: must be at least 1");
}

}  // namespace
}  // namespace assay::properties
