// Decoders with known faults: each is one that does right where its fault cannot show, and wrong where it
// can.
#include "properties/operations/rans/rans_counterfactuals.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "properties/cases/operation.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

Case decode(const std::string& regime, std::uint64_t seed, std::int64_t defect = 0) {
  Case one = {.operation = "rans_decode",
              .dims = {{"M", 70}, {"N", 70}, {"tile_rows", 64}, {"tile_cols", 64}, {"streams", 4}},
              .regime = regime,
              .knobs = {},
              .seed = seed};
  if (regime == "damaged") one.knobs["defect"] = defect;
  return one;
}

bool same(const reference::RansTiles& a, const reference::RansTiles& b) {
  return a.sound == b.sound && a.symbols == b.symbols;
}

// Checks that are left out change nothing where all is sound, and each does where something is damaged.
TEST(OtherDecodings, ThatLeaveOutACheckAreRightOnSoundTilesAndWrongOnSomeDamagedOnes) {
  std::set<std::string> checks;
  std::set<std::string> wrong;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto sound = find_operation("rans_decode").make_problem(decode("random", seed));
    const auto right = reference::decode_sound_tiles(rans_view(sound));
    std::set<std::string> unchanged;
    for (const auto& other : other_decodings(sound)) {
      if (same(other.tiles, right)) unchanged.insert(other.words);
    }
    if (seed == 0) checks = unchanged;
    std::erase_if(checks, [&](const std::string& one) { return !unchanged.contains(one); });
    for (std::int64_t defect = 0; defect < 9; ++defect) {
      const auto damaged = find_operation("rans_decode").make_problem(decode("damaged", seed, defect));
      const auto expected = reference::decode_sound_tiles(rans_view(damaged));
      for (const auto& other : other_decodings(damaged)) {
        if (other.tiles.sound != expected.sound) wrong.insert(other.words);
      }
    }
  }
  EXPECT_EQ(checks,
            (std::set<std::string>{"start states below 2^23 were sound",
                                   "the state at the end of a stream did not matter",
                                   "bytes left over at the end of a stream did not matter",
                                   "checksums did not matter", "only stream 0 of a tile could be damaged"}));
  for (const std::string& one : checks) EXPECT_TRUE(wrong.contains(one)) << one;
}

// Each of the others has answers of its own, so that no two explain one kernel: in small tiles, where a
// stream may come through though one of its steps would not.
TEST(OtherDecodings, AreToldApartBySoundTiles) {
  std::map<std::string, std::vector<std::uint8_t>> answers;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Case small = decode("random", seed);
    small.dims = {{"M", 20}, {"N", 9}, {"tile_rows", 3}, {"tile_cols", 4}, {"streams", 4}};
    for (const auto& other : other_decodings(find_operation("rans_decode").make_problem(small))) {
      auto& all = answers[other.words];
      all.insert(all.end(), other.tiles.symbols.begin(), other.tiles.symbols.end());
      all.insert(all.end(), other.tiles.sound.begin(), other.tiles.sound.end());
    }
  }
  std::set<std::vector<std::uint8_t>> different;
  for (const auto& [words, all] : answers) different.insert(all);
  // Those that leave out a check are all right here.
  EXPECT_EQ(different.size(), answers.size() - 4);
}

}  // namespace
}  // namespace assay::properties
