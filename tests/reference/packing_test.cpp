#include "reference/packing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "reference/groups.hpp"

namespace assay::reference {
namespace {

TEST(Packing, NibbleJOfRowRIsElementEightRPlusJ) {
  std::vector<std::uint8_t> codes(16 * 2, 0);
  codes[0 * 2 + 0] = 1;
  codes[7 * 2 + 0] = 2;
  codes[8 * 2 + 1] = 3;
  codes[13 * 2 + 1] = 4;
  EXPECT_EQ(pack_nibbles(codes, 16, 2), (std::vector<std::uint32_t>{0x20000001, 0, 0, 0x00400003}));
}

TEST(Packing, NibblesPastKAreZero) {
  EXPECT_EQ(pack_nibbles(std::vector<std::uint8_t>(9, 15), 9, 1),
            (std::vector<std::uint32_t>{0xFFFFFFFF, 0x0000000F}));
}

TEST(Packing, NibblesPastKAreIgnoredWhenUnpacking) {
  EXPECT_EQ(unpack_nibbles(std::vector<std::uint32_t>{0xFFFFF321}, 3, 1),
            (std::vector<std::uint8_t>{1, 2, 3}));
}

RC_GTEST_PROP(PackingProperty, UnpackingIsTheInverseForAnyShape, ()) {
  const auto K = *rc::gen::inRange<std::size_t>(1, 40);
  const auto N = *rc::gen::inRange<std::size_t>(1, 12);
  const auto codes =
      *rc::gen::container<std::vector<std::uint8_t>>(K * N, rc::gen::inRange<std::uint8_t>(0, 16));
  const auto packed = pack_nibbles(codes, K, N);
  RC_ASSERT(packed.size() == (K + 7) / 8 * N);
  RC_ASSERT(unpack_nibbles(packed, K, N) == codes);
}

TEST(Packing, RefusesCodesPastFifteenAndSizesThatDoNotFollow) {
  EXPECT_THROW(pack_nibbles(std::vector<std::uint8_t>{16}, 1, 1), std::invalid_argument);
  EXPECT_THROW(pack_nibbles(std::vector<std::uint8_t>(5, 0), 2, 3), std::invalid_argument);
  EXPECT_THROW(pack_nibbles({}, 0, 3), std::invalid_argument);
  EXPECT_THROW(unpack_nibbles(std::vector<std::uint32_t>(3, 0), 9, 1), std::invalid_argument);
  EXPECT_THROW(unpack_nibbles({}, 8, 0), std::invalid_argument);
}

// 2^61 rows of 8 words wrap around to 0 elements in 64 bits.
TEST(Packing, SizesThatOverflowAreRefusedInsteadOfMatched) {
  EXPECT_THROW(unpack_nibbles({}, std::size_t{1} << 63, 16), std::invalid_argument);
}

TEST(Groups, SizeMustBeAPositiveMultipleOfEightAndTheErrorNamesIt) {
  for (const std::size_t good : {8, 16, 24, 128}) EXPECT_NO_THROW(check_group_size(good));
  for (const std::size_t bad : {0, 1, 4, 12, 129}) {
    try {
      check_group_size(bad);
      ADD_FAILURE() << bad << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).find("group_size"), 0U) << error.what();
    }
  }
}

TEST(Groups, LastGroupMayBePartial) {
  EXPECT_EQ(group_count(1, 32), 1U);
  EXPECT_EQ(group_count(64, 32), 2U);
  EXPECT_EQ(group_count(65, 32), 3U);
  EXPECT_EQ(group_of(63, 32), 1U);
  EXPECT_EQ(group_of(64, 32), 2U);
}

}  // namespace
}  // namespace assay::reference
