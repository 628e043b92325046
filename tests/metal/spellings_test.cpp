// Spellings that Metal takes and C++ does not, or takes otherwise: kernels that judge themselves.
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

class Spellings : public BothModes {
 protected:
  static std::vector<int> verdicts(const char* function, std::uint32_t threads = 1) {
    KernelRun kernel(source_path("spellings.metal"), function);
    kernel.define("__METAL_VERSION__", "400");  // which has lambdas
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
  EXPECT_EQ(verdicts("specialised_among_members"), (std::vector<int>{1, 1, 1, 1, 0}));
}
TEST_P(Spellings, ResultsByAddressSpace) {
  EXPECT_EQ(verdicts("results_by_address_space"), (std::vector<int>{1, 1, 1, 0, 0}));
}
TEST_P(Spellings, ComparisonsInTemplateArguments) {
  EXPECT_EQ(verdicts("comparisons_in_template_arguments"), (std::vector<int>{1, 1, 1, 0, 0}));
}
TEST_P(Spellings, ChoicesOfBfloats) {
  EXPECT_EQ(verdicts("choices_of_bfloats"), (std::vector<int>{1, 1, 1, 1, 1}));
}
TEST_P(Spellings, LengthsOfAnyInteger) {
  EXPECT_EQ(verdicts("lengths_of_any_integer"), (std::vector<int>{1, 1, 1, 1, 1}));
}
TEST_P(Spellings, Colours) { EXPECT_EQ(verdicts("colours"), (std::vector<int>{1, 1, 1, 1, 1})); }
TEST_P(Spellings, WordsOfTheLibrary) {
  EXPECT_EQ(verdicts("words_of_the_library"), (std::vector<int>{1, 1, 1, 1, 1}));
}

// A function of vectors is looked for beside the vectors too, which are the stand-in library's.
TEST(Names, OfFunctionsBesideTexturesAreTheTexts) {
  const TemporaryDirectory directory;
  std::string functions, calls;
  for (const std::string name :
       {"between", "mixed", "compares", "in_turn", "face_of", "direction_of", "met_by", "direction",
        "square_of", "place", "around", "beyond", "shown", "at_level"}) {
    functions += "static float " + name + "(float3 d, float u) { return d.x + u; }\n";
    calls += " + " + name + "(t.sample(s, float3(1)).xyz, 1.0f)";
  }
  directory.write("k.metal", "#include <metal_stdlib>\nusing namespace metal;\n" + functions +
                                 "kernel void k(texturecube<float> t [[texture(0)]], device float* out) {\n"
                                 "  constexpr sampler s;\n  out[0] = 0" +
                                 calls + ";\n}\n");
  device::KernelSource source;
  source.path = directory.path() / "k.metal";
  source.function = "k";
  EXPECT_NO_THROW(compile(source, Flavour::fast));
}

// It was taken for an array of textures, whose number has a limit.
TEST(Parameters, AnArrayOfNumbersBesideATextureIsABuffer) {
  const TemporaryDirectory directory;
  directory.write(
      "k.metal",
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "kernel void k(constant array<float, 64>& many [[buffer(0)]],\n"
      "              constant array<float, 4>& few [[buffer(3)]],\n"
      "              array<texture2d<float>, 2> images [[texture(1)]], device float* out [[buffer(1)]]) {\n"
      "  out[0] = many[63] + few[3] + images[1].read(uint2(0)).x;\n}\n");
  device::KernelSource source;
  source.path = directory.path() / "k.metal";
  source.function = "k";
  const auto module = compile(source, Flavour::fast);
  EXPECT_EQ(module->buffers_declared(), 4u);
  EXPECT_EQ(module->textures_declared(), 3u);
}

}  // namespace
}  // namespace assay::metal
