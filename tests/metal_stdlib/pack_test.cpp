#include <gtest/gtest.h>

extern "C" {
void pack_every_code_comes_back();
void pack_codes_are_divided_by_the_largest();
void pack_clamps_and_rounds_to_even();
}

namespace {

TEST(Pack, EveryCodeComesBack) { pack_every_code_comes_back(); }
TEST(Pack, CodesAreDividedByTheLargest) { pack_codes_are_divided_by_the_largest(); }
TEST(Pack, ClampsAndRoundsToEven) { pack_clamps_and_rounds_to_even(); }

}  // namespace
