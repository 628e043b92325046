// The fields of an entry whose source is a body for MLX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/verify/manifest.hpp"
#include "tests/error_of.hpp"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char* kHead =
    "[[kernel]]\nname = \"scale-rows\"\nsource_kind = \"mlx_body\"\nsource = \"b.metal\"\noperation = "
    "\"gemm_fp4\"\n"
    "threads_per_threadgroup = 32\n";
constexpr const char* kNames = "input_names = [\"A\", \"M\"]\noutput_names = [\"C\"]\ngrid = [\"M\", 1, 1]\n";

KernelEntry body_entry(const std::string& more) { return parse_manifest(kHead + more, "dir/m.toml").at(0); }
std::string body_error(const std::string& more) {
  return error_of<ManifestError>([&] { body_entry(more); });
}

TEST(ManifestBody, SaysWhatTheCallOfMlxSays) {
  const KernelEntry entry = body_entry(std::string(kNames) +
                                       "header = \"h.metal\"\ntemplate = { T = \"bfloat16\", A2 = 7, B = "
                                       "false }\nensure_row_contiguous = false\n"
                                       "atomic_outputs = true\ninit_value = -1.5\n");
  const MlxBody& body = *entry.mlx;
  EXPECT_EQ(body.inputs, (std::vector<std::string>{"A", "M"}));
  EXPECT_EQ(body.outputs, std::vector<std::string>{"C"});
  EXPECT_EQ(body.header, "dir/h.metal");
  ASSERT_EQ(body.template_arguments.size(), 3u);  // in the order in which they stand there
  EXPECT_EQ(std::get<std::string>(body.template_arguments[0].value), "bfloat16");
  EXPECT_EQ(std::get<std::int64_t>(body.template_arguments[1].value), 7);
  EXPECT_FALSE(std::get<bool>(body.template_arguments[2].value));
  EXPECT_FALSE(body.ensure_row_contiguous);
  EXPECT_TRUE(body.atomic_outputs);
  EXPECT_EQ(body.init_value, -1.5);
  EXPECT_EQ(entry.function, "custom_kernel_scale_rows");
  EXPECT_TRUE(entry.grid.in_threads);
  EXPECT_EQ(entry.arguments.size(), 3u);
  EXPECT_EQ(entry.argument_field(1), "input_names[1]");
  EXPECT_EQ(entry.argument_field(2), "output_names[0]");
  EXPECT_THROW((void)entry.kernel_source(), std::logic_error);
}

// What Python has no type for is an int32 of MLX's; lists are arrays, single numbers are not.
TEST(ManifestBody, ArgumentsBindNamesOfTheBodyToNamesOfTheOperation) {
  const KernelEntry entry = body_entry(
      "input_names = [\"a\", \"sizes\", \"one\", \"k\"]\noutput_names = [\"c\"]\ngrid = [\"M\", 1, 1]\n"
      "arguments = [\"A\", [\"M\", \"N:uint\"], [\"K\"], \"=K/8\", \"C\"]\n");
  EXPECT_EQ(std::get<NamedArgument>(entry.arguments[0]).name, "A");
  const auto& sizes = std::get<ScalarArgument>(entry.arguments[1]).fields;
  EXPECT_EQ(sizes[0].type, ScalarType::int_);
  EXPECT_EQ(sizes[1].type, ScalarType::uint);
  EXPECT_EQ(entry.mlx->lists, (std::vector<bool>{false, true, true, false, false}));
  EXPECT_EQ(entry.argument_field(1), "arguments[1]");
}

TEST(ManifestBody, WrongFieldsAreErrorsAtTheirLine) {
  struct Case {
    std::string more, says;
  };
  for (const Case& one : {
           Case{"input_names = [\"A\"]\ngrid = [1, 1, 1]\n", "m.toml:1: output_names: is missing"},
           Case{std::string(kNames) + "function = \"f\"\n", "m.toml:10: function: is generated for a body"},
           Case{std::string(kNames) + "defines = { N = 1 }\n", "defines: cannot be passed by MLX"},
           Case{std::string(kNames) + "threadgroup_memory = [32]\n",
                "threadgroup_memory: cannot be passed by MLX"},
           Case{std::string(kNames) + "function_constants = { 0 = 1 }\n",
                "function_constants: cannot be passed by MLX"},
           Case{std::string(kNames) + "grid_unit = \"threadgroups\"\n",
                "m.toml:10: grid_unit: must be \"threads\" for a body"},
           Case{std::string(kNames) + "arguments = [\"A\"]\n",
                "arguments: has 1 entries; write one for each of the 2 inputs"},
           Case{std::string(kNames) + "template = { T = 1.5 }\n", "template.T: is not a dtype"},
           Case{std::string(kNames) + "template = { T = 4294967296 }\n", "template.T: "},
           Case{std::string(kNames) + "atomic_outputs = 1\n", "atomic_outputs: is neither true nor false"},
           Case{std::string(kNames) + "init_value = \"0\"\n", "init_value: "},
           Case{"input_names = []\noutput_names = [\"C\"]\n", "m.toml:7: input_names: is an empty list"},
           Case{"input_names = [\"A b\"]\noutput_names = [\"C\"]\n",
                "m.toml:7: input_names[0]: is not a name"},
       }) {
    EXPECT_THAT(body_error(one.more), HasSubstr(one.says)) << one.more;
  }
}

TEST(ManifestBody, ItsFieldsNeedTheKind) {
  const std::string text =
      "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"gemm_fp4\"\narguments = [\"A\"]\n"
      "threads_per_threadgroup = 32\ngrid = \"rows\"\n";
  EXPECT_THAT(error_of<ManifestError>([&] { parse_manifest(text + "init_value = 0\n", "m.toml"); }),
              HasSubstr("m.toml:8: init_value: goes with source_kind = \"mlx_body\""));
  EXPECT_THAT(error_of<ManifestError>([&] { parse_manifest(text + "source_kind = \"body\"\n", "m.toml"); }),
              HasSubstr("m.toml:8: source_kind: is not \"mlx_body\""));
}

}  // namespace
}  // namespace assay
