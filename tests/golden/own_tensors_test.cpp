// Somebody's own tensors as the problem of an operation: what is inferred, what is taken from the file, and
// what each refusal says.
#include "golden/own_tensors.hpp"

#include <gmock/gmock.h>

#include "properties/cases/search.hpp"
#include "tests/golden/folder.hpp"
#include "tests/golden/tensor_with.hpp"
#include "tests/ordinary_trellis.hpp"

namespace assay::golden {
namespace {

using properties::find_operation;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A file of gemm_fp4 with M=2, K=64, N=3 and groups of 8, the only size that makes 8 of them; all zero.
Dataset fp4_file() {
  Dataset file;
  file.tensors = {assay::make_tensor("A", DType::f16, {2, 64}), assay::make_tensor("B", DType::u32, {8, 3}),
                  assay::make_tensor("scales", DType::f16, {8, 3})};
  return file;
}

Tensor& tensor_of(Dataset& file, const std::string& name) {
  return *std::find_if(file.tensors.begin(), file.tensors.end(),
                       [&](const Tensor& one) { return one.name == name; });
}

OwnTensors own_fp4(const Dataset& file, const Dims& given = {}) {
  return own_tensors(file, find_operation("gemm_fp4"), given);
}

/// The text of the refusal.
std::string refusal_of(const Dataset& file, const std::string& operation = "gemm_fp4",
                       const Dims& given = {}) {
  try {
    own_tensors(file, find_operation(operation), given);
  } catch (const FormatError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "accepted";
}

TEST(OwnTensors, OneThatIsNotUsedIsSaid) {
  Dataset file = fp4_file();
  file.tensors.push_back(assay::make_tensor("C", DType::f16, {2, 3}));
  file.tensors.push_back(assay::make_tensor("scale", DType::f16, {8, 3}));
  const auto own = own_fp4(file);
  EXPECT_THAT(own.notes,
              testing::Contains("C: not used, because the kernel makes it; what is right for it is called "
                                "expected.C"));
  EXPECT_THAT(own.notes, testing::Contains(HasSubstr("\"scale\": not used")));
  EXPECT_THAT(own_fp4(fp4_file()).notes, testing::Each(testing::Not(HasSubstr("not used"))));
}

TEST(OwnTensors, AreTheProblemOfTheirShapes) {
  const auto own = own_fp4(fp4_file());
  EXPECT_EQ(own.problem.dims, (Dims{{"M", 2}, {"N", 3}, {"K", 64}, {"group_size", 8}}));
  EXPECT_THAT(own.problem.inputs, SizeIs(3));
  ASSERT_THAT(own.problem.outputs, SizeIs(1));
  EXPECT_THAT(own.problem.outputs[0].shape, ElementsAre(2, 3));
  EXPECT_THAT(own.expected, IsEmpty());
  EXPECT_THAT(own.notes, testing::Contains("group_size=8, from the shapes"));
}

// What was given counts before the metadata, and that before the shapes.
TEST(OwnTensors, DimensionsAreThoseGivenOrOfTheMetadata) {
  Dataset file = fp4_file();
  tensor_of(file, "scales") = assay::make_tensor("scales", DType::f16, {1, 3});
  EXPECT_THAT(refusal_of(file), AllOf(HasSubstr("group_size: cannot be found from the shapes"),
                                      HasSubstr("64, 72, 80 and others are possible for group_size"),
                                      HasSubstr("add --at group_size=NUMBER")));
  EXPECT_EQ(own_fp4(file, {{"group_size", 72}}).problem.dims.at("group_size"), 72);
  file.metadata["group_size"] = "80";
  EXPECT_EQ(own_fp4(file).problem.dims.at("group_size"), 80);
  EXPECT_EQ(own_fp4(file, {{"group_size", 72}}).problem.dims.at("group_size"), 72);
  file.metadata["group_size"] = "eighty";
  EXPECT_THAT(refusal_of(file), HasSubstr("metadata group_size: \"eighty\" is not a whole number"));
  file.metadata = {{"case", "operation=gemm_fp4 K=64 M=2 N=3 group_size=64 regime=probe seed=1"}};
  EXPECT_EQ(own_fp4(file).problem.dims.at("group_size"), 64);
  file.metadata = {{"case", "no case"}};
  EXPECT_THAT(refusal_of(file), HasSubstr("metadata case: \"no\""));
}

TEST(OwnTensors, AnInputThatIsMissingIsNamedWithWhatItIsTakenAs) {
  Dataset file = fp4_file();
  tensor_of(file, "B").name = "packed\x1b";
  EXPECT_THAT(refusal_of(file), AllOf(HasSubstr("tensor B: missing"), HasSubstr("U32 [(K), N]"),
                                      HasSubstr("the file has \"A\", \"packed\\u001b\", \"scales\"")));
  file.tensors.clear();
  EXPECT_THAT(refusal_of(file), HasSubstr("the file has no tensors"));
}

TEST(OwnTensors, AnotherTypeIsNamedWithTheRightOne) {
  Dataset file = fp4_file();
  tensor_of(file, "scales") = assay::make_tensor("scales", DType::f32, {8, 3});
  EXPECT_THAT(refusal_of(file), HasSubstr("tensor scales: dtype: is F32, must be F16"));
}

TEST(OwnTensors, AShapeThatCannotBeIsNamedWithTheRightOne) {
  Dataset file = fp4_file();
  tensor_of(file, "B") = assay::make_tensor("B", DType::u32, {7, 3});
  EXPECT_THAT(refusal_of(file), HasSubstr("tensor B: has shape [7, 3], its dimensions ask for [8, 3]"));
  file = fp4_file();
  EXPECT_THAT(refusal_of(file, "gemm_fp4", {{"group_size", 64}}),
              HasSubstr("tensor scales: has shape [8, 3], its dimensions ask for [1, 3]"));
  EXPECT_THAT(refusal_of(file, "gemm_fp4", {{"group_size", 12}}), HasSubstr("group_size=12: must be"));
  EXPECT_THAT(refusal_of(file, "gemm_fp4", {{"bits", 4}}),
              HasSubstr("bits=4: gemm_fp4 has no such dimension"));
  tensor_of(file, "A") = assay::make_tensor("A", DType::f16, {0, 64});
  EXPECT_THAT(refusal_of(file), HasSubstr("tensor A: shape: [0, 64] makes M 0, must be from 1"));
}

TEST(OwnTensors, OfAnotherOperationAreRefused) {
  Dataset file = fp4_file();
  file.metadata["operation"] = "gemm_u4";
  EXPECT_THAT(refusal_of(file), HasSubstr("metadata operation: the file is of \"gemm_u4\", not of gemm_fp4"));
  file.metadata["operation"] = "gemm_fp4";
  EXPECT_EQ(refusal_of(file), "accepted");
}

/// Ordinary trellis weights, 40 x 70 at 3 bits, as a file of dequantize_trellis.
Dataset trellis_file() {
  const tests::OrdinaryTrellis weights;
  Dataset file;
  file.tensors = {tensor_with("packed_indices", DType::u8, {3, 5, 96}, weights.packed_indices),
                  tensor_with("scales", DType::f32, {5, 70}, weights.scales),
                  tensor_with("grid", DType::f32, {8}, weights.grid),
                  tensor_with("su", DType::f32, {40}, weights.su),
                  tensor_with("sv", DType::f32, {70}, weights.sv)};
  return file;
}

TEST(OwnTensors, TileCountsThatAreExchangedAreSaidAsSuch) {
  Dataset file = trellis_file();
  EXPECT_EQ(refusal_of(file, "dequantize_trellis"), "accepted");
  tensor_of(file, "packed_indices").shape = {5, 3, 96};
  EXPECT_THAT(
      refusal_of(file, "dequantize_trellis"),
      AllOf(HasSubstr("tensor packed_indices: has shape [5, 3, 96], its dimensions ask for [3, 5, 96]"),
            HasSubstr("tile counts exchanged?")));
  tensor_of(file, "packed_indices").shape = {15, 1, 96};
  EXPECT_THAT(refusal_of(file, "dequantize_trellis"), testing::Not(HasSubstr("exchanged")));
}

TEST(OwnTensors, HaveTheWarningsOfTheirOperation) {
  Dataset file = trellis_file();
  const auto& operation = find_operation("dequantize_trellis");
  EXPECT_THAT(operation.warnings(own_tensors(file, operation).problem), IsEmpty());
  tensor_of(file, "scales").as<float>()[5] = 300;
  tensor_of(file, "grid").as<float>()[7] = 127;
  EXPECT_THAT(operation.warnings(own_tensors(file, operation).problem),
              ElementsAre(HasSubstr("grid: is not normalised"),
                          "scales: element 5 is 300: 1200 times the median magnitude"));
}

// A stack has a matrix an expert, and three stacks.
TEST(OwnTensors, WarningsOfAStackSayWhichMatrix) {
  const auto& operation = find_operation("moe_swiglu_trellis");
  auto problem = operation.make_problem(
      properties::parse_line("operation=moe_swiglu_trellis K=9 M=1 N=8 bits=4 group_size=8 intermediate=8 "
                             "n_levels=16 num_experts=3 top_k=1 "
                             "regime=random seed=1"));
  assay::input(problem, "up_su").as<float>()[2 * 9 + 4] = 0.5F;
  EXPECT_THAT(operation.warnings(problem),
              testing::Contains("up_su: element 4 is 0.5: neither +1 nor -1 (matrix 2 of 3)"));
}

// Compressed data say nothing of how large the matrix is.
TEST(OwnTensors, OfRansAskForTheSizesInOneLine) {
  const auto& operation = find_operation("rans_decode");
  const auto space = operation.cases({});
  const auto drawn = properties::case_at(space, 3, 5);
  Dataset file;
  file.tensors = operation.make_problem(drawn).inputs;
  EXPECT_THAT(refusal_of(file, "rans_decode"),
              AllOf(HasSubstr("M, N, tile_rows, tile_cols: cannot be found from the shapes"),
                    HasSubstr("add --at M=NUMBER,N=NUMBER,tile_rows=NUMBER,tile_cols=NUMBER")));
  EXPECT_EQ(refusal_of(file, "rans_decode", drawn.dims), "accepted");
}

// A number by itself is often kept without axes.
TEST(OwnTensors, ASingleNumberMayHaveNoAxes) {
  const auto& operation = find_operation("rans_gemv");
  const auto drawn = properties::case_at(operation.cases({}), 3, 5);
  Dataset file;
  file.tensors = operation.make_problem(drawn).inputs;
  tensor_of(file, "scale").shape.clear();
  const auto own = own_tensors(file, operation, {{"N", properties::dim(drawn.dims, "N")}});
  EXPECT_EQ(own.problem.dims.at("M"), properties::dim(drawn.dims, "M"));
}

// Buffers that a launch finds and leaves zero need not be in the file.
TEST(OwnTensors, InputsThatAreOutputsAreZeroWhereTheFileHasNone) {
  const auto own =
      own_tensors(fp4_file(), find_operation("gemm_fp4_striped"), {{"parallel", 2}, {"threadgroups", 3}});
  ASSERT_THAT(own.problem.inputs, SizeIs(5));
  EXPECT_THAT(own.problem.inputs[3].shape, ElementsAre(2, 2, 3));
  EXPECT_THAT(own.notes, testing::Contains("partials: filled with zeros, because the file does not have it"));
  EXPECT_THAT(refusal_of(fp4_file(), "gemm_fp4_striped"),
              HasSubstr("--at parallel=NUMBER,threadgroups=NUMBER"));
  // The metadata may say any number: nothing of that size is made.
  Dataset file = fp4_file();
  file.metadata = {{"parallel", "2000000000"}, {"threadgroups", "1"}};
  EXPECT_THAT(
      refusal_of(file, "gemm_fp4_striped"),
      HasSubstr(
          "tensor partials: missing, and too large to be filled with zeros ([2000000000, 2, 3] elements)"));
}

TEST(OwnTensors, WhatTheFileExpectsIsWhatIsRight) {
  Dataset file = fp4_file();
  file.tensors.push_back(
      tensor_with<std::uint16_t>("expected.C", DType::f16, {2, 3}, {0x3C00, 0, 0, 0, 0, 0}));
  auto own = own_fp4(file);
  ASSERT_THAT(own.expected, SizeIs(1));
  EXPECT_EQ(own.expected[0].low[0], 1);
  EXPECT_EQ(own.expected[0].high[0], 1);

  file.tensors.push_back(
      tensor_with<float>("expected.C.half_width", DType::f32, {2, 3}, {0.25F, 0, 0, 0, 0, 0}));
  own = own_fp4(file);
  EXPECT_EQ(own.expected[0].low[0], 0.75);
  EXPECT_EQ(own.expected[0].high[0], 1.25);
  EXPECT_EQ(own.expected[0].value[0], 1);

  file.tensors.back().as<float>()[3] = -1;
  EXPECT_THAT(refusal_of(file),
              HasSubstr("tensor expected.C.half_width: element 3 is -1, must be 0 or more"));
  file.tensors.back() = assay::make_tensor("expected.C.half_width", DType::f16, {2, 3});
  EXPECT_THAT(refusal_of(file), HasSubstr("tensor expected.C.half_width: is F16 [2, 3], must be F32 [2, 3]"));
  file.tensors.pop_back();
  file.tensors.back() = assay::make_tensor("expected.C", DType::f16, {3, 2});
  EXPECT_THAT(refusal_of(file), HasSubstr("tensor expected.C: shape: [3, 2] makes M 3"));
}

TEST(OwnTensors, AFileThatIsNotWhatItsHashSaysIsRefused) {
  const Folder folder;
  const auto path = folder.path() / "own.safetensors";
  Dataset file = fp4_file();
  file.metadata["content_hash"] = std::string(32, '0');
  write_safetensors(path, file);
  EXPECT_EQ(read_own_tensors(path, find_operation("gemm_fp4")).problem.inputs.size(), 3U);
  std::string bytes = bytes_of(path);
  bytes.back() = '\1';
  write_bytes(path, bytes);
  EXPECT_THROW(read_own_tensors(path, find_operation("gemm_fp4")), FormatError);
}

TEST(OwnTensors, ErrorsOfAFileNameIt) {
  const Folder folder;
  Dataset file = fp4_file();
  file.tensors.pop_back();
  write_safetensors(folder.path() / "own.safetensors", file);
  try {
    read_own_tensors(folder.path() / "own.safetensors", find_operation("gemm_fp4"));
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("own.safetensors"), HasSubstr("tensor scales: missing")));
  }
}

}  // namespace
}  // namespace assay::golden
