// A kernel run on one's own arrays: what it computes, what it is called when it is wrong, what is refused.
#include "assay/metal_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

MetalSource source_of(const std::string& body, const std::string& parameters =
                                                   "device const float* x [[buffer(0)]], device float* y "
                                                   "[[buffer(1)]], constant uint& n [[buffer(2)]]") {
  const std::string text =
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void f(" + parameters +
      ",\n  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {\n" + body + "\n}\n";
  return {.text = {text, "f.metal", 1}};
}

std::vector<std::byte> bytes_of(std::uint32_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

struct Arrays {
  std::vector<float> x = std::vector<float>(64), y = std::vector<float>(64, -1);
  MetalLaunch launch{
      .buffers = {read(0, x), fill(1, y)}, .values = {{2, bytes_of(64)}}, .grid = {64}, .threads = {32}};
  Arrays() { std::iota(x.begin(), x.end(), 0.0F); }
};

std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& refused) {
    return refused.what();
  }
  return "";
}

TEST(MetalKernel, FillsAnArrayInBothModesAndAgain) {
  for (const bool checked : {true, false}) {
    MetalKernel kernel(source_of("if (i < n) y[i] = 2 * x[i];"), {.checked = checked});
    EXPECT_EQ(kernel.function(), "f");
    for (int again = 0; again < 2; ++again) {
      Arrays arrays;
      const auto report = kernel.run(arrays.launch);
      ASSERT_TRUE(report) << report.text;
      for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(arrays.y[i], 2 * static_cast<float>(i));
    }
  }
}

TEST(MetalKernel, SaysWhatItsParametersAre) {
  const MetalKernel kernel(source_of("y[i] = x[i] * n;"));
  const auto& all = kernel.parameters();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "x");
  EXPECT_EQ(all[0].memory.type, "float");
  EXPECT_FALSE(all[0].writable);
  EXPECT_TRUE(all[1].writable);
  EXPECT_EQ(all[2].kind, MetalParameter::Kind::value);
  EXPECT_EQ(all[2].memory.size, 4U);
  EXPECT_EQ(all[2].memory.type, "uint");
}

TEST(MetalKernel, AFaultIsAReportAndTheNextLaunchRuns) {
  MetalKernel kernel(source_of("if (i < n) y[i + n - 64] = x[i];"));
  Arrays arrays;
  arrays.launch.values[0].second = bytes_of(65);
  const auto report = kernel.run(arrays.launch);
  EXPECT_EQ(report.verdict, "out of bounds");
  EXPECT_THAT(report.text, AllOf(HasSubstr("f: out of bounds"), HasSubstr("f.metal:5"),
                                 HasSubstr("5 | if (i < n)"), HasSubstr("grid (64, 1, 1) threads")));
  EXPECT_THAT(report.json, HasSubstr("\"kind\":\"out of bounds\""));
  EXPECT_EQ(arrays.y[0], -1) << "nothing is read back of a launch that is wrong";
  arrays.launch.values[0].second = bytes_of(64);
  EXPECT_TRUE(kernel.run(arrays.launch));
}

TEST(MetalKernel, ARaceNamesBothAccesses) {
  MetalKernel kernel(source_of("threadgroup float s[32]; s[t] = x[i]; y[i] = s[31 - t];"));
  Arrays arrays;
  EXPECT_EQ(kernel.run(arrays.launch).verdict, "race");
}

TEST(MetalKernel, ALaunchWithoutEndIsATimeoutAndTheNextOneRuns) {
  for (const bool checked : {true, false}) {
    MetalKernel kernel(source_of("while (n == 7) { y[0] = x[i]; } y[i] = 1;"),
                       {.checked = checked, .timeout_s = 0.3});
    Arrays arrays;
    arrays.launch.values[0].second = bytes_of(7);
    arrays.launch.grid = arrays.launch.threads = {1};
    EXPECT_EQ(kernel.run(arrays.launch).verdict, "timeout");
    arrays.launch.values[0].second = bytes_of(8);
    EXPECT_TRUE(kernel.run(arrays.launch));
  }
}

TEST(MetalKernel, LinesCountInTheFileThatATextIsPartOf) {
  auto source = source_of("y[i + 1] = x[i];");
  source.text.name = "tests/model.py";
  source.text.first_line = 101;
  MetalKernel kernel(source);
  Arrays arrays;
  EXPECT_THAT(kernel.run(arrays.launch).text,
              AllOf(HasSubstr("tests/model.py:105"), HasSubstr("105 | y[i + 1] = x[i];")));
  source.text.text += "int g( {";
  EXPECT_THAT(refusal_of([&] { MetalKernel wrong(source); }), HasSubstr("tests/model.py:10"));
}

TEST(MetalKernel, ABodyOfMlxHasItsSignatureMade) {
  MetalSource source{.function = "scale",
                     .text = {"uint i = thread_position_in_grid.x;\nout[i] = T(x[i]) * f;\n", "scale"}};
  source.mlx = MlxSignature{.inputs = {{"x", "float32"}, {"f", "float32", true}},
                            .outputs = {{"out", "float32"}},
                            .template_arguments = {{"T", "dtype", "float32"}}};
  MetalKernel kernel(source);
  std::vector<float> x(16, 3), out(16);
  const float f = 0.5F;
  std::vector<std::byte> value(4);
  std::memcpy(value.data(), &f, 4);
  const auto report = kernel.run(
      {.buffers = {read(0, x), fill(2, out)}, .values = {{1, value}}, .grid = {16}, .threads = {16}});
  EXPECT_TRUE(report) << report.text;
  EXPECT_EQ(out[15], 1.5F);
}

TEST(MetalKernel, PointersOfAnArgumentBufferLeadToBuffers) {
  MetalKernel kernel(
      {.text = {"#include <metal_stdlib>\nusing namespace metal;\n"
                "struct Set { device const float* a; device float* b; };\n"
                "kernel void f(constant Set& s [[buffer(0)]], uint i [[thread_position_in_grid]]) {"
                " s.b[i] = s.a[i] + 1; }\n",
                "set.metal"}});
  std::vector<std::uint64_t> set(2);
  std::vector<float> a(8, 4), b(8);
  auto given = read(MetalLaunch::kUnbound, a), made = fill(MetalLaunch::kUnbound, b);
  const auto report = kernel.run({.buffers = {read(0, set), given, made},
                                  .grid = {8},
                                  .threads = {8},
                                  .pointers = {{0, 0, 1}, {0, 8, 2}}});
  EXPECT_TRUE(report) << report.text;
  EXPECT_EQ(b[7], 5);
}

// In place: what is read and what is written is the same memory, as where a host binds one buffer twice.
TEST(MetalKernel, TwoBuffersMayBePartsOfOne) {
  MetalKernel kernel(source_of("y[i] = y[i] + x[i] * n;"));
  std::vector<float> all(16, 1);
  auto whole = change(MetalLaunch::kUnbound, all);
  MetalBuffer x{0, {}, whole.bytes.subspan(0, 32), 2, 0}, y{1, {}, whole.bytes.subspan(0, 32), 2, 32};
  MetalLaunch launch{.buffers = {x, y, whole}, .values = {{2, bytes_of(3)}}, .grid = {8}, .threads = {8}};
  EXPECT_TRUE(kernel.run(launch));
  EXPECT_EQ(all[7], 1);
  EXPECT_EQ(all[8], 4);
  launch.buffers[1].offset_bytes = 36;
  EXPECT_THAT(refusal_of([&] { (void)kernel.run(launch); }),
              HasSubstr("`y` does not lie in what it is part of"));
}

TEST(MetalKernel, AConstantIsNamed) {
  auto source = source_of("y[i] = SCALE * x[i];");
  source.text.text.insert(source.text.text.find("kernel void"),
                          "constant int SCALE [[function_constant(3)]];\n");
  source.function_constants = {{"SCALE", "5"}};
  MetalKernel kernel(source);
  Arrays arrays;
  EXPECT_TRUE(kernel.run(arrays.launch));
  EXPECT_EQ(arrays.y[3], 15);
  source.function_constants = {{"SCALES", "5"}};
  EXPECT_THAT(refusal_of([&] { MetalKernel wrong(source); }),
              HasSubstr("no function constant SCALES; it has SCALE"));
}

TEST(MetalKernel, RefusesWhatCannotBeLaunched) {
  MetalKernel kernel(source_of("y[i] = x[i] * n;"));
  const auto refusal = [&](const std::function<void(MetalLaunch&)>& change) {
    Arrays arrays;
    change(arrays.launch);
    return refusal_of([&] { (void)kernel.run(arrays.launch); });
  };
  EXPECT_THAT(refusal([](auto& launch) { launch.grid = {0}; }),
              HasSubstr("grid = (0, 1, 1): each must be at least 1"));
  EXPECT_THAT(refusal([](auto& launch) { launch.values.clear(); }),
              HasSubstr("nothing is bound to `n`, [[buffer(2)]]: constant uint&"));
  EXPECT_THAT(refusal([](auto& launch) { launch.buffers[0].bytes = {}; }),
              HasSubstr("a buffer for `x` has no bytes"));
  EXPECT_THAT(refusal([](auto& launch) {
                launch.pointers = {{0, 0, 9}};
              }),
              HasSubstr("a pointer is of a buffer"));
  Arrays arrays;
  EXPECT_TRUE(kernel.run(arrays.launch)) << "a launch that was refused leaves nothing behind";
}

TEST(MetalKernel, RefusesWhatIsNoKernel) {
  EXPECT_EQ(refusal_of([] { MetalKernel none(MetalSource{}); }), "the kernel has no text");
  EXPECT_THAT(refusal_of([] { MetalKernel none({.file = "no_such.metal"}); }),
              HasSubstr("there is no file no_such.metal"));
  auto source = source_of("y[i] = x[i] * n;");
  source.function = "g";
  EXPECT_THAT(refusal_of([&] { MetalKernel none(source); }), HasSubstr("`g`"));
  EXPECT_THAT(refusal_of([] { MetalKernel two({.text = {"kernel void a() {}\nkernel void b() {}\n"}}); }),
              HasSubstr("2 kernels; name one of a, b"));
  try {
    MetalKernel wrong(source_of("y[i] = undefined_name;"));
    FAIL();
  } catch (const MetalError& error) {
    EXPECT_FALSE(error.unsupported());
    EXPECT_EQ(error.file(), "f.metal");
    EXPECT_EQ(error.line(), 5U);
  }
}

}  // namespace
}  // namespace assay
