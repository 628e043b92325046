// Spellings that Metal takes and g++ does not, or takes otherwise: kernels that judge themselves.
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

class Spellings : public BothModes {
 protected:
  static std::vector<int> verdicts(const char* function, std::uint32_t threads = 1) {
    KernelRun kernel(source_path("spellings.metal"), function);
    kernel.buffer(0, std::vector<int>(5)).grid({1, 1, 1}, {threads, 1, 1});
    std::vector<std::uint32_t> words = {0, 0xFFFFFFFF, 0x12345678, 0x80FF00BC, 0xC00007E0};
    if (std::string(function) == "swizzles_that_are_named") kernel.buffer(1, std::vector<float>{1, 2, 3, 4});
    if (std::string(function) == "results_by_address_space") kernel.buffer(1, std::vector<int>{1, 2, 3, 4});
    if (std::string(function) == "colours") kernel.buffer(1, words);
    if (std::string(function) == "words_of_the_library") kernel.buffer(1, std::vector<std::uint32_t>(1));
    return run_clean(kernel).values<int>(0);
  }
};
ASSAY_BOTH_MODES(Spellings);

TEST_P(Spellings, SwizzlesThatAreNamed) {
  EXPECT_EQ(verdicts("swizzles_that_are_named"), (std::vector<int>{1, 1, 1, 1, 1}));
}
TEST_P(Spellings, MembersThatAreSpecialised) {
  EXPECT_EQ(verdicts("members_that_are_specialised"), (std::vector<int>{1, 1, 1, 1, 1}));
}
TEST_P(Spellings, ConstructorsByAddressSpace) {
  EXPECT_EQ(verdicts("constructors_by_address_space", 4), (std::vector<int>{1, 1, 1, 0, 0}));
}
TEST_P(Spellings, SpecialisedAmongMembers) {
  EXPECT_EQ(verdicts("specialised_among_members"), (std::vector<int>{1, 1, 1, 0, 0}));
}
TEST_P(Spellings, ResultsByAddressSpace) {
  EXPECT_EQ(verdicts("results_by_address_space"), (std::vector<int>{1, 1, 1, 0, 0}));
}
TEST_P(Spellings, ComparisonsInTemplateArguments) {
  EXPECT_EQ(verdicts("comparisons_in_template_arguments"), (std::vector<int>{1, 1, 1, 0, 0}));
}
TEST_P(Spellings, Colours) { EXPECT_EQ(verdicts("colours"), (std::vector<int>{1, 1, 1, 1, 1})); }
TEST_P(Spellings, WordsOfTheLibrary) {
  EXPECT_EQ(verdicts("words_of_the_library"), (std::vector<int>{1, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace assay::metal
