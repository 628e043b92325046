// Operations with rANS weights: what is damaged and what is not, and lengths that follow from the values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/values_plan.hpp"
#include "properties/operations/rans/rans_defects.hpp"
#include "properties/operations/rans/rans_states.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "reference/rans_stream.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Case gemm(const std::string& regime, std::uint64_t seed, const Dims& knobs = {}) {
  return {.operation = "rans_gemm",
          .dims = {{"batch", 2}, {"M", 130}, {"N", 70}, {"tile_rows", 64}, {"tile_cols", 64}, {"streams", 4}},
          .regime = regime,
          .knobs = knobs,
          .seed = seed};
}

// Every defect: in most cases some tile is damaged; what does not depend on it is right as it was.
TEST(RansDamage, SpoilsWhatDependsOnItAndNothingElse) {
  const Operation& operation = find_operation("rans_gemm");
  for (std::int64_t defect = 0; defect < 9; ++defect) {
    int damaged = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Problem problem = operation.make_problem(gemm("damaged", seed, {{"defect", defect}}));
      const auto spoilt = operation.expect(problem, {});
      // The same values, encoded anew.
      Problem whole = problem;
      const auto exact = operation.make_problem(gemm("exact", seed));
      for (const char* name : {"freq", "stream_offset", "n_symbols", "checksums", "data"})
        input(whole, name) = input(exact, name);
      operation.settle_counts(whole);
      const auto right = operation.expect(whole, {});
      const auto& status = spoilt[1].value;
      damaged += std::count(status.begin(), status.end(), 1.0) > 0 ? 1 : 0;
      for (std::size_t i = 0; i < spoilt[0].value.size(); ++i) {
        const std::size_t first = i % 130 / 64 * 2;  // tile of the row
        if (status[first] == 0.0 && status[first + 1] == 0.0) {
          ASSERT_EQ(spoilt[0].low[i], right[0].low[i]) << defect << ", " << seed << ", " << i;
        } else {
          ASSERT_TRUE(std::isnan(spoilt[0].low[i])) << defect << ", " << seed << ", " << i;
        }
      }
    }
    EXPECT_GE(damaged, 15) << "defect " << defect;
  }
}

// Each defect has a tile of its own, and the last tile stays sound. A few defects do no harm: frequencies
// that read the same in reverse order.
TEST(RansDefects, EachSpoilsItsOwnTile) {
  const Operation& operation = find_operation("rans_gemm");
  std::size_t shown = 0, damaged = 0;
  for (const Case& one : plan_values(operation, testing::common_tile()).cases) {
    if (one.regime != kDefects) continue;
    const auto expected = operation.expect(operation.make_problem(one), {});
    const auto& status = expected[1].value;
    Coverage words;
    cover_planned(operation.declaration(), one, words);
    shown += words.reached().size();
    damaged += static_cast<std::size_t>(std::count(status.begin(), status.end(), 1.0));
    EXPECT_EQ(status.back(), 0.0) << to_line(one);
  }
  const auto* planned = find_planned(operation.declaration(), kDefects);
  EXPECT_EQ(shown, planned->regime.knobs.front().names.size());
  EXPECT_GE(damaged, shown - 6);
  EXPECT_LE(damaged, shown + 12);  // offsets that are too high cut the stream before them, too
}

// What is shrunk ends there: a stream of four bytes, of which a defect takes nine.
TEST(RansDefects, AreThoseOfTheSmallestCaseToo) {
  const Operation& operation = find_operation("rans_gemm");
  const auto* planned = find_planned(operation.declaration(), kDefects);
  for (std::int64_t defect = 0; defect < std::ssize(planned->regime.knobs.front().names); ++defect) {
    Case one = gemm(kDefects, 1, {{"defect", defect}});
    one.dims = operation.cases({}).nearest({}).dims;
    const Problem problem = operation.make_problem(one);
    EXPECT_GE(input(problem, "data").element_count(), 1U) << defect;
    EXPECT_NO_THROW(operation.expect(problem, {})) << defect;
  }
}

/// What one stream of a problem holds, decoded as docs/rans.md says but for the start state, which is not
/// looked at.
struct Decoded {
  std::uint32_t start = 0;
  std::vector<std::uint8_t> symbols;
  bool ends_right = false;
  bool early_byte_shows =
      false;  ///< at state 2^23, with more to come, a byte read there leads to another symbol
};

Decoded decode_stream(const reference::RansView& rans, std::size_t stream) {
  const std::size_t tile = stream / rans.layout.streams, streams = rans.layout.streams;
  const auto freq = rans.freq.subspan(tile * reference::kRansSymbols, reference::kRansSymbols);
  const std::uint8_t* next = rans.data.data() + rans.stream_offset[stream];
  const std::uint8_t* const end = stream + 1 < rans.stream_offset.size()
                                      ? rans.data.data() + rans.stream_offset[stream + 1]
                                      : rans.data.data() + rans.data.size();
  Decoded decoded;
  for (unsigned i = 0; i < 4; ++i) decoded.start |= std::uint32_t{*next++} << 8 * i;
  std::uint32_t state = decoded.start;
  for (std::size_t i = stream % streams; i < rans.layout.tile(tile).size(); i += streams) {
    const auto step = [&](std::uint32_t& x) {
      std::uint32_t distance = x % 4096;
      std::uint8_t symbol = 0;
      while (distance >= freq[symbol]) distance -= freq[symbol++];
      x = freq[symbol] * (x / 4096) + distance;
      return symbol;
    };
    const bool middle = state == reference::kRansLowerBound && next != end && i >= streams;
    std::uint32_t early = middle ? state << 8 | *next : 0;
    decoded.symbols.push_back(step(state));
    if (middle && step(early) != decoded.symbols.back()) decoded.early_byte_shows = true;
    while (state < reference::kRansLowerBound && next != end) state = state << 8 | *next++;
  }
  decoded.ends_right = state == reference::kRansLowerBound && next == end;
  return decoded;
}

// What a decoder that does not look at the start state would take for sound.
TEST(RansDamage, OfAStartStateIsOfNothingElse) {
  std::size_t near = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = find_operation("rans_gemm").make_problem(gemm("damaged", seed, {{"defect", 8}}));
    const reference::RansView rans = rans_view(problem);
    const auto sound = reference::decode_sound_tiles(rans).sound;
    EXPECT_EQ(std::count(sound.begin(), sound.end(), false), 1) << seed;
    std::size_t below = 0;
    for (std::size_t stream = 0; stream < rans.stream_offset.size(); ++stream) {
      const Decoded decoded = decode_stream(rans, stream);
      EXPECT_TRUE(decoded.ends_right) << seed << ", stream " << stream;
      EXPECT_EQ(reference::symbol_checksum(decoded.symbols, 0, 1), rans.checksums[stream]) << seed;
      if (decoded.start >= reference::kRansLowerBound) continue;
      ++below;
      near += decoded.start >= reference::kRansLowerBound / 2 ? 1 : 0;
      EXPECT_FALSE(sound[stream / rans.layout.streams]) << seed;
    }
    EXPECT_EQ(below, 1U) << seed;
  }
  EXPECT_GE(near, 10U);  // of a stream drawn at random, an eighth
}

// Sound streams that tell a decoder which reads a byte at state 2^23 already, not only below.
TEST(RansStates, ComeToTheBoundBeforeTheEndWhereAByteMustNotBeRead) {
  for (const char* name : {"rans_decode", "rans_gemv", "rans_gemm"}) {
    const Operation& operation = find_operation(name);
    std::size_t found = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const Case drawn = case_at(operation.cases(testing::common_tile()), 1, i);
      if (drawn.regime == "damaged") continue;
      const Problem problem = operation.make_problem(drawn);
      const reference::RansView rans = rans_view(problem);
      for (std::size_t stream = 0; stream < rans.stream_offset.size(); ++stream) {
        const Decoded decoded = decode_stream(rans, stream);
        ASSERT_TRUE(decoded.ends_right) << drawn;
        found += decoded.early_byte_shows ? 1 : 0;
      }
    }
    EXPECT_GE(found, 5U) << name;
  }
}

/// States of a stream with symbols behind them: ahead of their bytes and behind them.
std::set<std::pair<std::uint32_t, bool>> states_in_the_middle(const reference::RansView& rans,
                                                              std::size_t stream, std::size_t symbols) {
  const std::size_t tile = stream / rans.layout.streams;
  const reference::RansTable table(
      rans.freq.subspan(tile * reference::kRansSymbols).first<reference::kRansSymbols>());
  std::size_t next = rans.stream_offset[stream] + reference::kRansStateBytes;
  std::uint32_t state = 0;
  for (std::size_t i = 0; i < reference::kRansStateBytes; ++i)
    state |= std::uint32_t{rans.data[rans.stream_offset[stream] + i]} << 8 * i;
  std::set<std::pair<std::uint32_t, bool>> found;
  for (std::size_t i = 1; i < symbols; ++i) {
    table.take(state);
    found.insert({state, false});
    while (state < reference::kRansLowerBound) state = state << 8 | rans.data[next++];
    found.insert({state, true});
  }
  return found;
}

// Every stream of the tile that is to show it, in each operation, at every number of streams.
TEST(RansStates, AreOnEitherSideOfEachBoundInMidStream) {
  for (const char* name : {"rans_decode", "rans_gemv", "rans_gemm"}) {
    const Operation& operation = find_operation(name);
    for (const std::int64_t streams : {1, 3, 8, 32}) {
      const std::int64_t last = std::ssize(states_in_mid_stream()) - 1;
      Case shown;
      shown.operation = name;
      shown.dims = {{"M", 3}, {"N", 700}, {"streams", streams}};
      shown.regime = kStates;
      shown.seed = 1;
      if (operation.name() != "rans_gemv") shown.dims.insert({{"tile_rows", 1}, {"tile_cols", 700}});
      if (operation.name() == "rans_gemm") shown.dims["batch"] = 1;
      for (std::int64_t first = 0; first <= last; first += 2) {
        shown.knobs["state"] = first;
        const Problem problem = operation.make_problem(shown);
        const reference::RansView rans = rans_view(problem);
        for (std::int64_t tile = 0; tile < 2 && first + tile <= last; ++tile) {
          const StateInMidStream& wanted = states_in_mid_stream()[static_cast<std::size_t>(first + tile)];
          for (std::int64_t i = 0; i < streams; ++i) {
            const auto stream = static_cast<std::size_t>(tile * streams + i);
            const auto symbols = static_cast<std::size_t>((700 - i + streams - 1) / streams);
            EXPECT_TRUE(
                states_in_the_middle(rans, stream, symbols).contains({wanted.state, wanted.behind_bytes}))
                << name << ": " << wanted.words << " in stream " << i;
          }
        }
      }
    }
  }
}

TEST(RansDamage, IsWantedAndReachedByEveryOperation) {
  for (const char* name : {"rans_decode", "rans_gemv", "rans_gemm"}) {
    const Operation& operation = find_operation(name);
    Coverage coverage;
    for (std::uint64_t i = 0; i < 60; ++i) {
      operation.cover(operation.make_problem(case_at(operation.cases(testing::common_tile()), 1, i)),
                      coverage);
    }
    EXPECT_THAT(coverage.missing(operation.wanted_coverage()), ::testing::IsEmpty()) << name;
    EXPECT_TRUE(coverage.has("given status: damaged tile"));
    EXPECT_TRUE(coverage.has("empty stream"));
  }
}

TEST(Counts, FollowFromTheValuesAndStandInNoCase) {
  const Operation& operation = find_operation("rans_gemm");
  EXPECT_THAT(operation.scalars(), ::testing::Contains("data_bytes"));
  EXPECT_EQ(to_line(case_at(operation.cases(testing::common_tile()), 1, 0)).find("data_bytes"),
            std::string::npos);
  Problem problem = operation.make_problem(gemm("random", 1));
  EXPECT_EQ(extent(problem.dims, "data_bytes"), input(problem, "data").data.size());
  EXPECT_NO_THROW(operation.check_problem(problem));
  ++problem.dims["data_bytes"];
  EXPECT_THAT([&] { operation.check_problem(problem); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("data: has shape")));
  Case described = gemm("random", 1);
  described.dims["data_bytes"] = 7;
  EXPECT_THAT([&] { operation.make_problem(described); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("data_bytes=7")));
}

TEST(Counts, MoreSymbolsThanFitAreRefusedBeforeAnythingIsAllocated) {
  Case described = gemm("random", 1);
  described.dims["M"] = described.dims["N"] = 1 << 16;
  EXPECT_THAT([&] { find_operation("rans_gemm").make_problem(described); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("M=65536 N=65536")));
}

}  // namespace
}  // namespace assay::properties
