// Bodies joined with their operation: types, what small inputs are, what no body can be given.
#include "harness/run/mlx_bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "harness/verify/binding.hpp"
#include "tests/error_of.hpp"

namespace assay::run {
namespace {

using testing::HasSubstr;

class MlxBodies : public testing::Test {
 protected:
  MlxBodies() {
    folder_ = std::filesystem::temp_directory_path() /
              ("assay-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" +
               std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~MlxBodies() override { std::filesystem::remove_all(folder_); }

  KernelEntry settled(const std::string& more, const std::string& body,
                      const std::string& operation = kStated) {
    std::ofstream(folder_ / "b.metal") << body;
    const std::string text =
        "[[kernel]]\nname = \"k\"\nsource_kind = \"mlx_body\"\nsource = \"b.metal\"\nthreads_per_threadgroup "
        "= 32\n"
        "grid = [64, 1, 1]\n" +
        operation + more;
    auto entry = parse_manifest(text, folder_ / "m.toml").at(0);
    settle_mlx_body(entry);
    return entry;
  }

  std::string error(const std::string& more, const std::string& body,
                    const std::string& operation = kStated) {
    return error_of<ManifestError>([&] { settled(more, body, operation); });
  }

  static std::string text_of(const std::vector<device::SourcePiece>& pieces) {
    std::string text;
    for (const auto& piece : pieces) text += piece.text;
    return text;
  }

  static constexpr const char* kStated =
      "dimensions = [{ name = \"M\", least = 4 }, { name = \"bits\", values = [2, 4] }]\ntensors = [\n"
      "  { name = \"x\", type = \"bfloat\", shape = [\"M\", 2] },\n"
      "  { name = \"few\", type = \"bool\", shape = [\"bits\"] },\n"
      "  { name = \"any\", type = \"uchar\", shape = [\"M\"] },\n"
      "  { name = \"eps\", type = \"float\", shape = [] },\n"
      "  { name = \"kept\", type = \"int\", shape = [\"M\"], access = \"inout\" },\n"
      "  { name = \"y\", type = \"half\", shape = [\"M\"], access = \"out\" },\n]\n";
  static constexpr const char* kPlain =
      "dimensions = [\"M\"]\ntensors = [\n  { name = \"x\", type = \"float\", shape = [\"M\"] },\n"
      "  { name = \"y\", type = \"short\", shape = [\"M\"], access = \"out\" },\n]\n";

  std::filesystem::path folder_;
};

constexpr const char* kBuiltin = "operation = \"gemm_fp4\"\n";
constexpr const char* kGemm =
    "input_names = [\"A\", \"B\", \"scales\", \"M\"]\noutput_names = [\"C\"]\nrequires = { K_min = 8, N_min "
    "= 8 }\n";

TEST_F(MlxBodies, TypesAndSpacesFollowFromTheOperation) {
  const auto entry = settled(kGemm, "C[0] = A[0] * scales[0] * B[0] * M;", kBuiltin);
  EXPECT_THAT(text_of(entry.composed->pieces), HasSubstr("    const device float16_t* A [[buffer(0)]],\n"
                                                         "    const device uint32_t* B [[buffer(1)]],\n"
                                                         "    const device float16_t* scales [[buffer(2)]],\n"
                                                         "    const constant int32_t& M [[buffer(3)]],\n"
                                                         "    device float16_t* C [[buffer(4)]]) {\n"));
  EXPECT_TRUE(entry.composed->other.empty());  // none can have fewer than eight elements
}

// Four sizes of inputs: always eight elements and more, never, either, and none but one.
TEST_F(MlxBodies, InputsAreAsSmallAsTheirSizesSay) {
  const std::string stated =
      std::regex_replace(std::string(kStated), std::regex("  \\{ name = \"kept\".*\n"), "");
  const auto entry = settled("input_names = [\"x\", \"few\", \"any\", \"eps\"]\noutput_names = [\"y\"]\n",
                             "y[0] = x[0] + few[0] + any[0] + eps + x_shape[1];", stated);
  const auto text = text_of(entry.composed->pieces), other = text_of(entry.composed->other);
  EXPECT_THAT(text, HasSubstr("const device bfloat16_t* x [[buffer(0)]]"));
  EXPECT_THAT(text, HasSubstr("const constant bool* few [[buffer(2)]]"));
  EXPECT_THAT(text, HasSubstr("const device uint8_t* any [[buffer(3)]]"));
  EXPECT_THAT(text, HasSubstr("const constant float& eps [[buffer(4)]]"));
  EXPECT_THAT(other, HasSubstr("const device bfloat16_t* x"));
  EXPECT_THAT(other, HasSubstr("const constant uint8_t* any"));
  ASSERT_EQ(entry.arguments.size(), 6u);
  EXPECT_EQ(std::get<ShapeArgument>(entry.arguments[1]).tensor, "x");
  EXPECT_EQ(entry.argument_field(1), "input_names[0]");
}

TEST_F(MlxBodies, ListsOfNumbersAreArraysOfOneType) {
  const auto entry = settled(
      "input_names = [\"x\", \"sizes\"]\noutput_names = [\"y\"]\narguments = [\"x\", [\"M\", 7, \"=2*M\"], "
      "\"y\"]\n",
      "y[0] = x[0] + sizes[2] + sizes_shape[0] + sizes_strides[0] + sizes_ndim;", kPlain);
  EXPECT_THAT(text_of(entry.composed->pieces), HasSubstr("const constant int32_t* sizes [[buffer(1)]]"));
  EXPECT_EQ(std::get<PackedArgument>(entry.arguments[1]).fields.size(), 3u);
  EXPECT_EQ(std::get<ScalarArgument>(entry.arguments[2]).fields[0].value.text(), "3");
  EXPECT_EQ(std::get<ScalarArgument>(entry.arguments[3]).fields[0].type, ScalarType::long_);
  EXPECT_THAT(error("input_names = [\"x\", \"sizes\"]\noutput_names = [\"y\"]\n"
                    "arguments = [\"x\", [\"M\", \"M:ulong\"], \"y\"]\n",
                    "y[0] = x[0] + sizes[1];", kPlain),
              HasSubstr("arguments[1]: kernel k: holds numbers of type int and of type ulong"));
}

TEST_F(MlxBodies, WhatMlxCannotDoIsAnErrorAtItsField) {
  struct Case {
    std::string more, says;
  };
  const std::string names = "input_names = [\"x\"]\noutput_names = [\"y\"]\n";
  for (const Case& one : {
           Case{"input_names = [\"x\", \"z\"]\noutput_names = [\"y\"]\n",
                "input_names[1]: kernel k: \"z\" is no tensor"},
           Case{"input_names = [\"x\", \"y\"]\noutput_names = [\"z\"]\narguments = [\"x\", \"y\", \"y\"]\n",
                "arguments[1]: kernel k: y is an output of operation buffers; write it into output_names"},
           Case{"input_names = [\"M\"]\noutput_names = [\"x\", \"y\"]\n",
                "output_names[0]: kernel k: x is an input"},
           Case{"input_names = [\"x\"]\noutput_names = [\"M\"]\n",
                "output_names: kernel k: the output y of operation"},
           Case{"input_names = [\"x\"]\noutput_names = [\"y\", \"M\"]\n",
                "output_names[1]: kernel k: is no tensor"},
           Case{names + "atomic_outputs = true\n",
                "atomic_outputs: kernel k: y holds int16_t, over which Metal has no"},
           Case{names + "init_value = 0.5\n",
                "init_value: kernel k: 0.5 is no value of y, which holds int16_t"},
           Case{names + "init_value = 40000\n", "init_value: kernel k: 40000 is no value of y"},
           Case{names + "template = { T = \"float64\" }\n", "template.T: kernel k: `float64` is no dtype"},
           Case{"input_names = [\"x\", \"z\"]\noutput_names = [\"y\"]\narguments = [\"x\", { buffer = "
                "[\"M\"] }, \"y\"]\n",
                "arguments[1]: kernel k: is no tensor, number or list"},
           Case{"input_names = [\"x\", \"z\"]\noutput_names = [\"y\"]\narguments = [\"x\", \"-\", \"y\"]\n",
                "arguments[1]: kernel k: is no tensor, number or list"},
       }) {
    EXPECT_THAT(error(one.more, "y[0] = x[0]; z; M;", kPlain), HasSubstr(one.says)) << one.more;
  }
  EXPECT_THAT(error("input_names = [\"x\"]\noutput_names = [\"y\", \"kept\"]\n", "y[0] = x[0]; kept;"),
              HasSubstr("output_names[1]: kernel k: kept is given to the kernel too"));
  EXPECT_THAT(
      error("input_names = [\"x\", \"kept\"]\noutput_names = [\"y\", \"k\"]\n"
            "arguments = [\"x\", \"kept\", \"y\", \"kept\"]\n",
            "y[0] = x[0]; kept;"),
      HasSubstr("arguments[1]: kernel k: kept is an output of operation buffers that it is given too"));
  EXPECT_THAT(error(names, "x[0];", kPlain),
              HasSubstr("output_names[0]: kernel k: the body does not use `y`"));
}

TEST_F(MlxBodies, SettlingTwiceChangesNothing) {
  auto entry = settled(kGemm, "C[0] = A[0] * scales[0] * B[0] * M + A_shape[0];", kBuiltin);
  const auto arguments = entry.arguments.size();
  settle_mlx_body(entry);
  EXPECT_EQ(entry.arguments.size(), arguments);
  EXPECT_EQ(arguments, 6u);
}

}  // namespace
}  // namespace assay::run
