// `golden show`: of files whose contents are known, what a person reads.
#include "golden/show.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "golden/own_tensors.hpp"
#include "properties/cases/search.hpp"
#include "reference/packing.hpp"
#include "tests/golden/folder.hpp"
#include "tests/golden/tensor_with.hpp"
#include "tests/ordinary_trellis.hpp"

namespace assay::golden {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string shown(const Dataset& dataset) {
  const Folder folder;
  write_safetensors(folder.path() / "f.safetensors", dataset);
  return show(folder.path() / "f.safetensors");
}

TEST(GoldenShow, SaysWhatATensorHolds) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto text =
      shown({{},
             {tensor_with<float>("weights", DType::f32, {2, 4},
                                 {1.5F, -0.0F, 0, std::nanf(""), infinity, -2, 0.1F, 0x1p-140F})}});
  EXPECT_THAT(text, HasSubstr("f.safetensors: 1 tensor, "));
  EXPECT_THAT(text, HasSubstr("\nweights  F32 [2, 4]  32 bytes\n"
                              "  range      -2 to 1.5\n"
                              "  special    NaN 1, infinity 1, -0 1, subnormal 1, zero 1\n"
                              "  distinct   6\n"
                              "  first      1.5 -0 0 nan inf -2 0.1 7.17e-43\n"
                              "  histogram\n"));
  EXPECT_THAT(text, HasSubstr("           0  2  ########################################\n"));
  EXPECT_THAT(text, HasSubstr("         0.1  1  ####################\n"));
}

// 0 to 34 in bins of 4: three of them in the last but none, so that lengths of bars are told apart.
TEST(GoldenShow, ManyValuesAreShownInBins) {
  std::vector<std::uint8_t> values(35);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i);
  const auto text = shown({{}, {tensor_with("T", DType::u8, {35}, values)}});
  EXPECT_THAT(text, HasSubstr("  range      0 to 34\n  special    zero 1\n  distinct   35\n"
                              "  first      0 1 2 3 4 5 6 7 ...\n  histogram\n"
                              "      [0, 4)  4  ########################################\n"));
  EXPECT_THAT(text, HasSubstr("    [32, 36)  3  ##############################\n"));
}

TEST(GoldenShow, ATensorWithoutElementsIsNoTrouble) {
  EXPECT_THAT(shown({{}, {assay::make_tensor("T", DType::f16, {0, 7})}}),
              HasSubstr("\nT  F16 [0, 7]  0 bytes\n  no elements\n"));
}

// The program that wrote it may have been anybody's.
TEST(GoldenShow, NamesAndMetadataAreEscaped) {
  const auto text = shown({{{"note", "a\x1b[31mb\nc"}, {"k\"ey", "\xE2\x80\xAE"}, {"plain", "two words"}},
                           {assay::make_tensor("T\n\x1b]0;x\x07", DType::u8, {1})}});
  EXPECT_THAT(text,
              AllOf(HasSubstr("  note     \"a\\u001b[31mb\\nc\"\n"), HasSubstr("\"k\\\"ey\"  \"\\u202e\"\n"),
                    HasSubstr("  plain    two words\n"), HasSubstr("\n\"T\\n\\u001b]0;x\\u0007\"  U8 [1]")));
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST(GoldenShow, LongMetadataAreCutShort) {
  const auto text = shown({{{"note", std::string(5000, 'x')}}, {}});
  EXPECT_LT(text.size(), 1000U);
  EXPECT_THAT(text, HasSubstr("\"...\n"));
}

TEST(GoldenShow, OperationAndCaseStandBeforeOtherMetadata) {
  const auto text = shown({{{"a", "1"}, {"case", "2"}, {"operation", "no_such"}}, {}});
  EXPECT_LT(text.find("operation  no_such"), text.find("case"));
  EXPECT_LT(text.find("case "), text.find("  a "));
  EXPECT_THAT(text, HasSubstr("Assay does not know the operation no_such"));
}

// Types that others write and the reader lacks are listed all the same.
TEST(GoldenShow, ATypeThatIsNotReadIsListed) {
  const Folder folder;
  const std::string header = R"({"w":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}})";
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size());
  std::ofstream(folder.path() / "f.safetensors", std::ios::binary) << length << header << "abcd";
  EXPECT_THAT(show(folder.path() / "f.safetensors"),
              HasSubstr("\nw  F8_E4M3 [4]  4 bytes\n  elements of this type are not read here\n"));
}

// A file says of its own bytes what they are; it is shown all the same.
TEST(GoldenShow, AFileThatIsNotWhatItsHashSaysIsCalledDamaged) {
  const Folder folder;
  const auto file = folder.path() / "f.safetensors";
  write_safetensors(file,
                    {{{"content_hash", std::string(32, '0')}}, {assay::make_tensor("T", DType::u8, {1})}});
  EXPECT_THAT(show(file), Not(HasSubstr("damaged")));
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(-1, std::ios::end).put('\1');
  EXPECT_THAT(show(file), AllOf(HasSubstr("damaged: "), HasSubstr("\nT  U8 [1]")));
}

// Of a tensor of several pieces the statistics are of all of it.
TEST(GoldenShow, ALargeTensorIsReadPieceByPiece) {
  std::vector<std::uint32_t> words((std::size_t{5} << 18) + 3, 7);  // five pieces and a rest
  words.back() = 9;
  words[words.size() / 2] = 1;
  const auto text = shown({{}, {tensor_with("T", DType::u32, {words.size()}, words)}});
  EXPECT_THAT(text, HasSubstr("  range      1 to 9\n"));
  EXPECT_THAT(text, HasSubstr("    7  1,310,721  ########################################\n"));
}

TEST(GoldenShow, ACodeIsCountedWhereverItStands) {
  std::vector<std::uint8_t> codes(16 * 3, 5);
  codes[0] = codes[47] = 15;
  codes[7] = 0;
  Dataset file;
  file.metadata["operation"] = "dequantize_fp4";
  file.metadata["K"] = "16";
  file.metadata["group_size"] = "8";
  const auto words = reference::pack_nibbles(codes, 16, 3);
  file.tensors = {
      tensor_with("B", DType::u32, {2, 3}, std::vector<std::uint32_t>(words.begin(), words.end())),
      assay::make_tensor("scales", DType::f16, {2, 3})};
  const auto text = shown(file);
  EXPECT_THAT(text, HasSubstr("\nproblem of dequantize_fp4: K=16 N=3 group_size=8\n"));
  EXPECT_THAT(
      text,
      HasSubstr("  how often each code occurs, as coverage counts\n     code 0   1  #\n     code 1   0\n"));
  EXPECT_THAT(text, HasSubstr("     code 5  45  ########################################\n"));
  EXPECT_THAT(text, HasSubstr("    code 15   2  #\n"));
}

/// 40 x 70 at 3 bits with a scale out of the ordinary.
TEST(GoldenShow, LevelsAreCountedAndWhatIsOutOfTheOrdinaryIsSaid) {
  tests::OrdinaryTrellis weights;
  weights.scales[5] = 300;
  std::vector<std::uint8_t> indices(40 * 70, 2);
  indices[9] = 7;
  weights.packed_indices = reference::pack_trellis(indices, 40, 70, 3);
  Dataset file;
  file.metadata["operation"] = "dequantize_trellis";
  file.tensors = {tensor_with("packed_indices", DType::u8, {3, 5, 96}, weights.packed_indices),
                  tensor_with("scales", DType::f32, {5, 70}, weights.scales),
                  tensor_with("grid", DType::f32, {8}, weights.grid),
                  tensor_with("su", DType::f32, {40}, weights.su),
                  tensor_with("sv", DType::f32, {70}, weights.sv)};
  const auto text = shown(file);
  EXPECT_THAT(text, HasSubstr("    index 2  2,799  ########################################\n"));
  EXPECT_THAT(text, HasSubstr("    index 7      1  #\n"));
  EXPECT_THAT(text, Not(HasSubstr("index 8")));  // there is none of 3 bits
  EXPECT_THAT(text,
              HasSubstr("  unusual values\n    scales: element 5 is 300: 1200 times the median magnitude\n"));
  EXPECT_THAT(text, HasSubstr("  distinct   2\n  first      0.25 0.25 0.25 0.25 0.25 300 0.25 0.25 ...\n"));
}

TEST(GoldenShow, SymbolsOfRansAreCounted) {
  const auto& operation = properties::find_operation("rans_decode");
  auto drawn = properties::case_at(operation.cases({}), 3, 5);
  drawn.regime = "constant";
  drawn.knobs.clear();
  Dataset file;
  file.metadata = {{"operation", "rans_decode"}, {"case", to_line(drawn)}};
  file.tensors = operation.make_problem(drawn).inputs;
  const auto text = shown(file);
  EXPECT_THAT(text, HasSubstr("  how often each symbol occurs, as coverage counts\n"));
  EXPECT_THAT(text, HasSubstr("sound tile"));
}

TEST(GoldenShow, TensorsThatAreNoProblemSayWhyBehindTheirStatistics) {
  Dataset file;
  file.metadata["operation"] = "gemm_fp4";
  file.tensors = {assay::make_tensor("A", DType::f16, {2, 64})};
  const auto text = shown(file);
  EXPECT_THAT(text, HasSubstr("\nA  F16 [2, 64]  256 bytes\n"));
  EXPECT_THAT(text, HasSubstr("\ncannot be read as a problem of gemm_fp4: tensor B: missing"));
}

TEST(GoldenShow, EveryFileOfOurSetsIsShownWithItsProblem) {
  std::size_t files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(ASSAY_SOURCE_DIR) / "golden/sets")) {
    if (file.path().extension() != ".safetensors") continue;
    const auto text = show(file.path());
    EXPECT_THAT(text, HasSubstr("\nproblem of ")) << file.path();
    EXPECT_THAT(text, Not(HasSubstr("damaged: "))) << file.path();
    ++files;
  }
  EXPECT_GT(files, 0U);
}

TEST(GoldenShow, AFileThatCannotBeReadIsRefusedInOneLine) {
  const Folder folder;
  std::ofstream(folder.path() / "f.safetensors") << "abc";
  for (const auto& path : {folder.path() / "f.safetensors", folder.path() / "none"}) {
    try {
      show(path);
      FAIL();
    } catch (const FormatError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(path.filename().string()), Not(HasSubstr("\n"))));
    }
  }
}

}  // namespace
}  // namespace assay::golden
