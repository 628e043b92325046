#include <gtest/gtest.h>

extern "C" {
void vec_constructors();
void vec_swizzles_read();
void vec_swizzles_written();
void vec_operators();
void vec_shifts_by_less_than_the_width();
void vec_small_integers_wrap();
void vec_packed();
void vec_as_type();
void vec_matrices();
void vec_helper_names_are_free();
void vec_halves_equal_scalar_halves();
}

namespace {

TEST(Vec, Constructors) { vec_constructors(); }
TEST(Vec, SwizzlesRead) { vec_swizzles_read(); }
TEST(Vec, SwizzlesWritten) { vec_swizzles_written(); }
TEST(Vec, Operators) { vec_operators(); }
TEST(Vec, ShiftsByLessThanTheWidth) { vec_shifts_by_less_than_the_width(); }
TEST(Vec, SmallIntegersWrap) { vec_small_integers_wrap(); }
TEST(Vec, Packed) { vec_packed(); }
TEST(Vec, AsType) { vec_as_type(); }
TEST(Vec, HalvesEqualScalarHalves) { vec_halves_equal_scalar_halves(); }
TEST(Vec, HelperNamesAreFreeForKernels) { vec_helper_names_are_free(); }
TEST(Vec, Matrices) { vec_matrices(); }

}  // namespace
