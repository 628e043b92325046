// Text as editors, generators and people leave it.
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

class OddText : public BothModes {
 protected:
  // Runs kernel `k` of the text, which writes one int.
  int result_of(const std::string& text) {
    KernelRun kernel(directory_.write("odd.metal", text), "k");
    kernel.buffer(0, std::vector<int>(1));
    return run_clean(kernel).values<int>(0)[0];
  }
  TemporaryDirectory directory_;
};
ASSAY_ALL_WAYS(OddText);

TEST_P(OddText, CarriageReturns) {
  EXPECT_EQ(result_of("#include <metal_stdlib>\r\n#define TWO \\\r\n  2\r\nkernel void k(\r\n  device int* "
                      "out) { // c\r\n  out[0] = TWO; }\r\n"),
            2);
}

TEST_P(OddText, NoNewlineAtTheEnd) {
  EXPECT_EQ(result_of("kernel void k(device int* out) { out[0] = 3; } // end"), 3);
}

TEST_P(OddText, ByteOrderMarkAndBytesOfAnyKindInComments) {
  EXPECT_EQ(result_of("\xEF\xBB\xBF// \xFF\xFE\x80 \xE2\x9C\x93 it's \"odd\n/* ' \xC3 */ kernel void "
                      "k(device int* out) { out[0] = 4; }\n"),
            4);
}

TEST_P(OddText, OneVeryLongLine) {
  std::string text = "kernel void k(device int* out) { int x = 0;";
  for (int i = 0; i < 3000; ++i) text += " x = x * 3 + " + std::to_string(i) + "; x = x % 1000;";
  int x = 0;
  for (int i = 0; i < 3000; ++i) x = (x * 3 + i) % 1000;
  EXPECT_EQ(result_of(text + " out[0] = x; }"), x);
}

TEST_P(OddText, PragmasAndAttributesOfOtherCompilers) {
  EXPECT_EQ(
      result_of(
          "#pragma once\n#pragma METAL fp contract(off)\n#pragma clang diagnostic push\n"
          "#define FOR_UNROLL(x) _Pragma(\"clang loop unroll(full)\") for (x)\n"
          "#if __has_feature(cxx_exceptions) || __has_extension(x) || !__has_feature(cxx_static_assert)\n"
          "#error\n#endif\n"
          "[[clang::always_inline]] inline int one() { return 1; }\n"
          "kernel void k(device int* out) {\n  int x = 0;\n#pragma clang loop unroll_count(4)\n"
          "  for (int i = 0; i < 4; ++i) x += one();\n  FOR_UNROLL (int i = 0; i < 2; ++i) { x += i; }\n"
          "#pragma unroll\n  for (int i = 0; i < 2; ++i) x += 10;\n"
          "  [[maybe_unused]] int y;\n  if (x > 3) [[likely]] { out[0] = x; }\n}\n"),
      25);
}

TEST_P(OddText, NamesThatOtherCompilersTake) {
  EXPECT_EQ(result_of("int linux(int unix) { return unix; }\nfloat exp10(int i386) { return float(i386); }\n"
                      "struct assert { int y0; };\nint abs(assert a) { return a.y0; }\n"
                      "kernel void k(device int* out) { int NULL_ = 2, environ = 3; out[0] = linux(1) + "
                      "NULL_ + environ + int(exp10(4)) + abs(assert{5}); }\n"),
            15);
}

TEST_P(OddText, FunctionsThatTheProgramHasToo) {
  // A kernel's own functions are never taken for those of the program that loads it.
  EXPECT_EQ(result_of("int getpid() { return 7; }\nint helper(int x) { return x + 1; }\n"
                      "int puts(device const char* x) { return 20; }\n"
                      "kernel void k(device int* out) { out[0] = getpid() + helper(1) + puts(0); }\n"),
            29);
}

TEST_P(OddText, HostTypesOfSharedHeaders) {
  EXPECT_EQ(
      result_of(
          "#include <simd/simd.h>\n#ifdef __METAL_VERSION__\n#define NS_ENUM(_type, _name) enum _name : "
          "_type _name; enum _name : _type\n"
          "typedef metal::int32_t EnumBackingType;\n#else\n#import <Foundation/Foundation.h>\n#endif\n"
          "typedef NS_ENUM(EnumBackingType, BufferIndex) { BufferIndexOut = 0, BufferIndexIn };\n"
          "typedef struct { vector_float4 a; simd_uint2 b; matrix_float2x2 m; simd::float3 c; } Uniforms;\n"
          "kernel void k(device int* out [[buffer(BufferIndexOut)]]) { Uniforms u; u.b.y = 5; u.a = 1; u.m = "
          "matrix_float2x2(2.f); u.c = 4;\n"
          "  out[0] = int(u.b.y) + int(u.a.w) + int(u.m[1][1]) + int(u.c.z); }\n"),
      12);
}

}  // namespace
}  // namespace assay::metal
