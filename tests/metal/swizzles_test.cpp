// Swizzles where nothing says that a vector is wanted, those that are changed in part, and members that only
// look like them.
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

class Swizzles : public BothModes {};
ASSAY_ALL_WAYS(Swizzles);

TEST_P(Swizzles, StandForVectors) {
  KernelRun kernel(source_path("swizzles.metal"), "swizzles");
  kernel.buffer(0, std::vector<float>{1, 2, 3, 4}).buffer(1, std::vector<float>(24));
  kernel.grid({1, 1, 1}, {3, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(1),
            (std::vector<float>{12, 12,  2 - 8, 432, 6 + 5 * 2, 1701,         80 + 51 * 3 + 9, 4 * 6,  //
                                34, 32,  4 - 8, 432, 6 + 5 * 2, 500 + 1 + 12, 60 + 51 * 3 + 7, 4 * 6,  //
                                12, -41, 2 - 8, 432, 6 + 5 * 2, 1701,         80 + 51 * 3 + 9, 1 * 6}));
}

TEST_P(Swizzles, AreChangedInPart) {
  KernelRun kernel(source_path("swizzles.metal"), "parts");
  kernel.buffer(0, std::vector<float>{1, 2, 3, 4}).buffer(1, std::vector<float>(40)).value(2, 1);
  EXPECT_EQ(run_clean(kernel).values<float>(1),
            (std::vector<float>{9,           2,       20 + 3,      10 + 4 + 1,                              //
                                7,           2 - 1,   4,           4,                                       //
                                (3 + 1) * 2, 3 - 1,   (3 + 1) * 2, 3 - 1,                                   //
                                12 + 2,      12 + 13, 3 + 15,      4,                                       //
                                0,           41,      4,           6,          4,     9,     0,     1,      //
                                1 + 8,       1 + 1,   6 + 1,       6 + 6,      1 + 1, 6 + 6, 6 + 1, 6 + 7,  //
                                1 + 2,       2,       2,           5 + 2,      2,     3,     1,     4}));
}

}  // namespace
}  // namespace assay::metal
