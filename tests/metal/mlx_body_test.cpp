// The signature that is generated around a body, as MLX documents it.
#include "harness/metal/text/mlx_body.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::metal::mlx_tests {
namespace {

using testing::HasSubstr;
using testing::Not;
using Form = MlxInput::Form;

MlxCall call_of(std::vector<MlxInput> inputs, std::vector<MlxOutput> outputs = {{"out", "float"}}) {
  MlxCall call;
  call.function = "custom_kernel_k";
  call.inputs = std::move(inputs);
  call.outputs = std::move(outputs);
  return call;
}

/// All that is made around the body, files by their names.
std::string text_of(const std::vector<device::SourcePiece>& pieces) {
  std::string text;
  for (const auto& piece : pieces)
    text += piece.file.empty() ? piece.text : "<" + piece.file.string() + ">\n";
  return text;
}

std::string signature(const MlxCall& call, const std::string& body, const std::string& header = "") {
  return text_of(mlx_kernel(call, {header.empty() ? "" : "h.metal", header}, {"b.metal", body}).text.pieces);
}

std::string error(const MlxCall& call, const std::string& body, const std::string& header = "") {
  try {
    signature(call, body, header);
  } catch (const BodyError& wrong) {
    return wrong.field() + ": " + wrong.what();
  }
  return "no error";
}

TEST(MlxBody, InputsComeFirstInTheirAddressSpacesAndOutputsBehindThem) {
  const auto text = signature(
      call_of({{"x", "float16_t", Form::large}, {"w", "float", Form::small}, {"n", "int32_t", Form::scalar}},
              {{"out", "float"}, {"sums", "uint32_t"}}),
      "out[0] = x[0] * w[n]; sums[0] = 1;");
  EXPECT_THAT(text, HasSubstr("[[kernel]] void custom_kernel_k(\n"
                              "    const device float16_t* x [[buffer(0)]],\n"
                              "    const constant float* w [[buffer(1)]],\n"
                              "    const constant int32_t& n [[buffer(2)]],\n"
                              "    device float* out [[buffer(3)]],\n"
                              "    device uint32_t* sums [[buffer(4)]]) {\n<b.metal>\n}\n"));
  EXPECT_THAT(text, Not(HasSubstr("template")));
}

TEST(MlxBody, ShapesStridesAndAxesArePassedOnlyWhereTheBodyNamesThem) {
  const auto call = call_of({{"x", "float"}, {"y", "float"}});
  const std::string body = "out[x_shape[0]] = x[y_strides[1] * y_ndim] + y[0]; // x_ndim, y_shape\n";
  const auto made = mlx_kernel(call, {}, {"b.metal", body});
  EXPECT_THAT(text_of(made.text.pieces), HasSubstr("    const device float* x [[buffer(0)]],\n"
                                                   "    const constant int* x_shape [[buffer(1)]],\n"
                                                   "    const device float* y [[buffer(2)]],\n"
                                                   "    const constant int64_t* y_strides [[buffer(3)]],\n"
                                                   "    const constant int& y_ndim [[buffer(4)]],\n"
                                                   "    device float* out [[buffer(5)]]) {\n"));
  EXPECT_TRUE(made.layouts[0].shape && !made.layouts[0].strides && !made.layouts[0].ndim);
  EXPECT_TRUE(!made.layouts[1].shape && made.layouts[1].strides && made.layouts[1].ndim);
}

// A macro of the body's names what its text does not, elsewhere than in a directive.
TEST(MlxBody, WordsOfDirectivesCount) {
  EXPECT_THAT(signature(call_of({{"x", "float"}}), "#define ROWS x_shape[0]\nout[ROWS] = x[0];"),
              HasSubstr("int* x_shape"));
}

TEST(MlxBody, AtomicOutputsAreAtomic) {
  auto call = call_of({{"x", "float"}}, {{"out", "float"}, {"n", "int32_t"}});
  call.atomic_outputs = true;
  const auto text = signature(call, "out; n; x;");
  EXPECT_THAT(text, HasSubstr("device atomic<float>* out [[buffer(1)]],\n    device atomic<int32_t>* n"));
  EXPECT_EQ(atomic_type_over("float16_t"), "");
}

TEST(MlxBody, TemplateArgumentsMakeATemplateAndOneInstance) {
  auto call = call_of({{"x", "float"}});
  call.template_arguments = {{"T", "typename", "float16_t"}, {"N", "int", "-4"}, {"B", "bool", "true"}};
  const auto text = signature(call, "out[0] = T(x[0]) + N + B;");
  EXPECT_THAT(text, HasSubstr("template <typename T, int N, bool B>\n[[kernel]] void custom_kernel_k("));
  EXPECT_THAT(
      text,
      HasSubstr("}\ntemplate [[host_name(\"custom_kernel_k\")]] [[kernel]] "
                "decltype(custom_kernel_k<float16_t, -4, true>) custom_kernel_k<float16_t, -4, true>;\n"));
}

TEST(MlxBody, HeaderStandsBetweenWhatMlxBringsAndTheSignature) {
  const auto text = signature(call_of({{"x", "float"}}), "out[0] = twice(x[0]);", "float twice(float x);");
  EXPECT_LT(text.find("using namespace metal;"), text.find("<h.metal>"));
  EXPECT_LT(text.find("<h.metal>"), text.find("[[kernel]]"));
  EXPECT_THAT(text, Not(HasSubstr("elem_to_loc")));
  EXPECT_THAT(
      signature(call_of({{"x", "float"}}), "out[0] = x[elem_to_loc(0u, x_shape, x_strides, x_ndim)];"),
      HasSubstr("elem_to_loc(Number elem"));
}

class MlxAttribute : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(MlxAttribute, IsAParameterWhereTheBodyNamesIt) {
  const auto [name, type] = GetParam();
  const auto text =
      signature(call_of({{"x", "float"}}), "out[0] = x[0] + float(uint3(" + std::string(name) + ").x);");
  EXPECT_THAT(text, HasSubstr(std::string("    ") + type + " " + name + " [[" + name + "]]"));
  EXPECT_THAT(signature(call_of({{"x", "float"}}), "out[0] = x[0];"), Not(HasSubstr(name)));
}
INSTANTIATE_TEST_SUITE_P(
    Documented, MlxAttribute,
    testing::Values(
        std::pair{"dispatch_quadgroups_per_threadgroup", "uint"},
        std::pair{"dispatch_simdgroups_per_threadgroup", "uint"},
        std::pair{"dispatch_threads_per_threadgroup", "uint3"}, std::pair{"grid_origin", "uint3"},
        std::pair{"quadgroup_index_in_threadgroup", "uint"}, std::pair{"quadgroups_per_threadgroup", "uint"},
        std::pair{"simdgroup_index_in_threadgroup", "uint"}, std::pair{"simdgroups_per_threadgroup", "uint"},
        std::pair{"thread_execution_width", "uint"}, std::pair{"thread_index_in_quadgroup", "uint"},
        std::pair{"thread_index_in_simdgroup", "uint"}, std::pair{"thread_index_in_threadgroup", "uint"},
        std::pair{"thread_position_in_grid", "uint3"}, std::pair{"thread_position_in_threadgroup", "uint3"},
        std::pair{"threadgroup_position_in_grid", "uint3"}, std::pair{"threadgroups_per_grid", "uint3"},
        std::pair{"threads_per_grid", "uint3"}, std::pair{"threads_per_simdgroup", "uint"},
        std::pair{"threads_per_threadgroup", "uint3"}),
    [](const auto& of) { return std::string(of.param.first); });

// Inputs that may have fewer than eight elements are in constant memory then: a second text has them there.
TEST(MlxBody, SizesMayMoveAnInputToConstantMemory) {
  const auto made = mlx_kernel(call_of({{"x", "float", Form::either}, {"y", "float", Form::large}}), {},
                               {"b.metal", "out[0] = x[0] + y[0];"});
  EXPECT_THAT(text_of(made.text.pieces), HasSubstr("const device float* x"));
  EXPECT_THAT(text_of(made.text.other), HasSubstr("const constant float* x"));
  EXPECT_THAT(text_of(made.text.other), HasSubstr("const device float* y"));
  EXPECT_THAT(made.text.when, HasSubstr("`x`"));
}

TEST(MlxBody, WholeFilesAreRefusedAtTheLineThatShowsIt) {
  const auto call = call_of({{"x", "float"}});
  for (const char* begin : {"kernel void", "[[kernel]] void", "[[ host_name(\"f\") ]] [[kernel]] void"}) {
    const auto said = error(call, "#include <metal_stdlib>\nusing namespace metal;\n" + std::string(begin) +
                                      " f(device float* out) { out[0] = x[0]; }\n");
    EXPECT_THAT(said, HasSubstr("source: b.metal:3 begins a kernel function")) << begin;
    EXPECT_THAT(said, HasSubstr("Leave source_kind out"));
  }
  EXPECT_THAT(error(call, "\n#include <metal_stdlib>\nout[0] = x[0];"),
              HasSubstr("source: b.metal:2 includes a file"));
  EXPECT_EQ(error(call, "// kernel void f\nfloat kernel_size = x[0]; out[0] = kernel_size;"), "no error");
}

TEST(MlxBody, BracesThatDoNotMatchAreRefusedAtTheirLine) {
  const auto call = call_of({{"x", "float"}});
  EXPECT_THAT(error(call, "out[0] = x[0];\n}\nvoid f() {\n"), HasSubstr("b.metal:2 closes a brace"));
  EXPECT_THAT(error(call, "if (x[0] > 0) {\nout[0] = 1;\n"), HasSubstr("b.metal:1 opens a brace"));
  EXPECT_EQ(error(call, "#if 1\nif (x[0] > 0) {\n#else\n{\n#endif\nout[0] = 1; }"), "no error");
}

TEST(MlxBody, NamesThatClashAreErrorsAtTheirField) {
  EXPECT_THAT(error(call_of({{"x", "float"}, {"x", "float"}}), "out[0] = x[0];"),
              HasSubstr("input_names[1]: `x` is an input already"));
  EXPECT_THAT(error(call_of({{"out", "float"}}), "out[0] = 1;"),
              HasSubstr("output_names[0]: `out` is an input already"));
  EXPECT_THAT(error(call_of({{"device", "float"}}), "out[0] = 1;"),
              HasSubstr("input_names[0]: `device` is a keyword"));
  EXPECT_THAT(error(call_of({{"threads_per_grid", "float"}}), "out[0] = 1;"), HasSubstr("thread position"));
  EXPECT_THAT(
      error(call_of({{"x", "float"}, {"x_shape", "float"}}), "out[0] = x[0] + x_shape[0];"),
      HasSubstr("input_names[0]: `x_shape` is an input already, and what MLX calls a property of `x`"));
  auto call = call_of({{"x", "float"}});
  call.template_arguments = {{"x", "int", "1"}};
  EXPECT_THAT(error(call, "out[0] = x[0];"), HasSubstr("template.x: `x` is an input already"));
}

TEST(MlxBody, WhatNobodyUsesOrPassesIsAnError) {
  EXPECT_EQ(error(call_of({{"x", "float"}, {"y", "float"}}), "out[0] = x[0]; // y"), "no error");
  EXPECT_THAT(error(call_of({{"x", "float"}}), "x[0];"),
              HasSubstr("output_names[0]: the body does not use `out`"));
  EXPECT_EQ(error(call_of({{"x", "float"}}), "out[0] = FIRST;", "#define FIRST x[0]\n"), "no error");
  EXPECT_THAT(error(call_of({{"n", "int32_t", Form::scalar}}), "out[0] = n;\nout[1] = n_shape[0];"),
              HasSubstr("input_names[0]: b.metal:2 names n_shape, but `n` is a scalar"));
  EXPECT_THAT(error(call_of({{"x", "float"}}), "out[0] = x[grid_size.x];"),
              HasSubstr("b.metal:1: grid_size"));
}

TEST(MlxBody, TypesAreMlxs) {
  EXPECT_EQ(metal_type_of_mlx("bfloat16"), "bfloat16_t");
  EXPECT_EQ(metal_type_of_mlx("bool_"), "bool");
  EXPECT_EQ(metal_type_of_mlx("float64"), "");
  EXPECT_EQ(metal_type_of_mlx("complex64"), "complex64_t");
  EXPECT_EQ(mlx_types().size(), 13u);
}

}  // namespace
}  // namespace assay::metal::mlx_tests
