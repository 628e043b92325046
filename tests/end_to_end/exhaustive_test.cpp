// Exhaustive runs: right kernels pass, and a fault at one value out of all is found.
#include <gmock/gmock.h>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;

metal::ProcessResult exhaust(const fs::path& kernels, const std::string& kernel) {
  return assay({"verify", "--exhaustive", "--words", "200000", "--numerics", "strict", "--manifest",
                (kernels / "kernels.toml").string(), kernel});
}

/// A copy of our kernels with one change to one file.
void copy_changed(const fs::path& to, const std::string& file, const std::string& replace,
                  const std::string& with) {
  fs::copy(kSource / "kernels", to, fs::copy_options::recursive);
  std::string text = read(to / file);
  const auto at = text.find(replace);
  ASSERT_NE(at, std::string::npos) << replace;
  text.replace(at, replace.size(), with);
  std::ofstream(to / file) << text;
}

class Exhaustive : public testing::TestWithParam<std::string> {};

TEST_P(Exhaustive, RightKernelPasses) {
  const auto result = exhaust(kSource / "kernels", GetParam());
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 of 1 kernels pass (exhaustive, 200,000 packed words)"));
}

// The tiles in which sweeps over all words are cheap.
TEST(ExhaustiveRun, SweepsPass) {
  const auto result = assay({"verify", "--exhaustive", "--words", "200000", "--numerics", "strict",
                             "--manifest", (kSource / "kernels/sweeps.toml").string()});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 of 2 kernels pass (exhaustive, 200,000 packed words)"));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Exhaustive,
                         testing::Values("dequant_fp4", "dequant_u4", "dequant_s4", "dequant_u4_float",
                                         "dequant_s4_float", "marlin_gemm_fused_fp4", "marlin_gemm_fused_u4",
                                         "marlin_gemm_fused_s4"),
                         [](const auto& info) { return info.param; });

/// One change to a right kernel, which shows for one value among all that there are.
struct RareFault {
  std::string name, kernel, file, replace, with, shown;  ///< `shown`: in the replay line
};

void PrintTo(const RareFault& fault, std::ostream* out) { *out << fault.name; }

class ExhaustiveFault : public testing::TestWithParam<RareFault> {};

TEST_P(ExhaustiveFault, IsFoundAndReplayed) {
  const RareFault& fault = GetParam();
  const Scratch scratch;
  ASSERT_NO_FATAL_FAILURE(copy_changed(scratch / "kernels", fault.file, fault.replace, fault.with));
  const auto result = exhaust(scratch / "kernels", fault.kernel);
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("WRONG RESULT"));
  EXPECT_THAT(result.out, HasSubstr(fault.shown));
  const std::string marker = "assay replay '";
  const auto begin = result.out.find(marker);
  ASSERT_NE(begin, std::string::npos) << result.out;
  const auto from = begin + marker.size();
  const auto replayed = assay({"replay", result.out.substr(from, result.out.find('\'', from) - from)});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("WRONG RESULT"));
}

const std::string kWeight = "i < inside ? fp4_to_half(code) * scale : half(0)";
/// Of word number 190000.
const std::string kWrongWeight =
    "word == " + std::to_string(std::uint32_t{190000} * 0x9E3779B1U) + "u && i == 7 ? half(9) : " + kWeight;

INSTANTIATE_TEST_SUITE_P(
    OneOfAll, ExhaustiveFault,
    testing::Values(
        RareFault{"one_scale", "marlin_gemm_fused_fp4", "include/fp4.h", kWeight,
                  "as_type<ushort>(scale) == 0x2F31 && code == 3 ? half(1) : " + kWeight, "knob.scale=12081"},
        // Weights this large spoil their column unless they stand alone.
        RareFault{"overflow_saturates", "marlin_gemm_fused_fp4", "include/fp4.h", kWeight,
                  "as_type<ushort>(scale) == 0x7BFF && code == 15 ? half(-65504) : " + kWeight,
                  "knob.scale=31743"},
        RareFault{"one_word", "dequant_fp4", "include/fp4.h", kWeight, kWrongWeight, "knob.word=190000"},
        RareFault{"one_place_of_a_tile", "marlin_gemm_fp4", "include/store.h", "T(strip[i]);",
                  "T(shape.K == 32 && row == 41 && column == 37 && strip[i] == -6 ? 4.0f : strip[i]);",
                  "regime=count"}),
    [](const auto& info) { return info.param.name; });

// Parts of a sweep see their own words and no others.
TEST(ExhaustiveRun, PartsAddUp) {
  const Scratch scratch;
  ASSERT_NO_FATAL_FAILURE(copy_changed(scratch / "kernels", "include/fp4.h", kWeight, kWrongWeight));
  const auto part = [&](const char* first, const char* count) {
    return assay({"verify", "--exhaustive", "--first-word", first, "--words", count, "--numerics", "strict",
                  "--manifest", (scratch / "kernels/kernels.toml").string(), "dequant_fp4"});
  };
  const auto behind = part("190001", "400000"), around = part("189000", "2000");
  EXPECT_EQ(behind.exit_code, 0) << behind.out << behind.err;
  EXPECT_THAT(behind.out, HasSubstr("1 of 1 kernels pass (exhaustive, packed words 190,001 to 590,000)"));
  EXPECT_EQ(around.exit_code, 1) << around.out << around.err;
  EXPECT_THAT(around.out, HasSubstr("knob.word=190000"));
  const auto end = part("4294967295", "4294967296");
  EXPECT_EQ(end.exit_code, 0) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("packed words 4,294,967,295 to 4,294,967,295"));
}

TEST(ExhaustiveRun, KernelWithoutFourBitCodesIsRefusedByName) {
  const auto result = exhaust(kSource / "kernels", "dequant_trellis");
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("dequant_trellis"));
  EXPECT_THAT(result.err, HasSubstr("there is no exhaustive run of it"));
}

// A kernel that takes no K below 8 cannot be shown an infinite weight alone, so not all can be said of it.
TEST(ExhaustiveRun, WhatRequirementsLeaveOutIsNeverGreen) {
  const Scratch scratch;
  const std::string source = "source = \"marlin_gemm_fused_fp4.metal\"\n";
  ASSERT_NO_FATAL_FAILURE(
      copy_changed(scratch / "kernels", "kernels.toml", source, source + "requires = { K_multiple = 8 }\n"));
  const auto result = exhaust(scratch / "kernels", "marlin_gemm_fused_fp4");
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("vacuous"));
  EXPECT_THAT(result.out, HasSubstr("codes under every half as a scale"));
}

}  // namespace
}  // namespace assay::end_to_end
