// Accesses that are easily left out: copies of sizes that are no power of two, and what is read
// or written as part of a call. Each is a race where no barrier stands between, and none where one does.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::Contains;
using testing::IsEmpty;

struct Access {
  const char* name;
  const char* type;   ///< of an array in threadgroup memory
  const char* write;  ///< of element `stage[to]`, from the number x
  const char* read;   ///< of element `stage[from]`, as a number
  const char* ahead = "";
};
void PrintTo(const Access& one, std::ostream* out) { *out << one.name; }

constexpr const char* kWords = "struct Words { uint a, b, c, d, e; };\n";
constexpr const char* kCalls =
    "struct Words { uint a, b, c, d, e; };\n"
    "__attribute__((noinline)) Words words(uint x) { Words w; w.a = x; w.b = w.c = w.d = w.e = 0; return w; "
    "}\n"
    "__attribute__((noinline)) uint sum(Words w, uint n) {\n"
    "  uint s = w.a; for (uint i = 0; i < n; ++i) s += w.b; return s; }\n";

// More than a compiler would inline by itself.
constexpr const char* kLarge =
    "struct Words { float a, b, c, d, e; };\n"
    "float wave(Words w, uint n) {\n"
    "  float s = w.a;\n"
    "  for (uint i = 0; i < n; ++i) {\n"
    "    s += w.b * exp(w.c) - sin(w.d * s) * cos(w.e + s);\n"
    "    for (uint k = 0; k < i; ++k) s = s * sqrt(w.b + k) + tan(w.c - s) / log(w.d) + pow(s, w.e);\n"
    "  }\n"
    "  return s;\n}\n";

const std::vector<Access> kAccesses = {
    {"uint3", "uint3", "stage[to] = uint3(x, 1, 2)", "stage[from].x"},
    {"uint3_by_element", "uint3", "stage[to].x = x, stage[to].y = 1, stage[to].z = 2",
     "uint3(stage[from]).x"},
    {"half3", "half3", "stage[to] = half3(x)", "uint(stage[from].x)"},
    {"char3", "char3", "stage[to] = char3(x)", "uint(stage[from].x)"},
    {"long3", "long3", "stage[to] = long3(x)", "uint(stage[from].x)"},
    {"long4", "long4", "stage[to] = long4(x)", "uint(stage[from].x)"},
    {"packed_uint3", "packed_uint3", "stage[to] = uint3(x, 1, 2)", "uint3(stage[from]).x"},
    {"packed_half3", "packed_half3", "stage[to] = half3(x)", "uint(half3(stage[from]).x)"},
    {"packed_uint3_swizzled", "packed_uint3", "stage[to] = packed_uint3(x, 1, 2)", "stage[from].xy.x"},
    {"float3_added", "float3", "stage[to] = float3(0), stage[to] += float(x)", "uint(stage[from].x)"},
    {"float3x3", "float3x3", "stage[to] = float3x3(float(x))", "uint(stage[from][0][0])"},
    {"struct_with_float3", "Point", "stage[to] = Point{float3(x), 1}", "uint(Point(stage[from]).at.x)",
     "struct Point { float3 at; uint weight; };\n"},
    {"struct_of_20_bytes", "Words", "Words w = {x, 0, 0, 0, 0}; stage[to] = w", "Words(stage[from]).a",
     kWords},
    {"struct_with_an_unnamed_union", "Block", "Block b; b.both = half2(x), b.rest[0] = 0, stage[to] = b",
     "uint(Block(stage[from]).first)",
     "struct Block { union { struct { half first, second; }; half2 both; }; ushort rest[1]; };\n"},
    {"union_of_vectors", "Both", "Both b; b.halves = half4(x), stage[to] = b",
     "uint(Both(stage[from]).halves.w)", "union Both { half4 halves; ushort words[4]; };\n"},
    {"struct_that_is_passed", "Words", "Words w = {x, 0, 0, 0, 0}; stage[to] = w",
     "sum(stage[from], x >> 31)", kCalls},
    {"struct_that_is_returned", "Words", "stage[to] = words(x)", "stage[from].a", kCalls},
    {"struct_that_a_large_function_takes", "Words", "Words w = {float(x), 0, 0, 0, 0}; stage[to] = w",
     "uint(index < 32 ? wave(stage[from], x >> 31) : wave(stage[from], x >> 30))", kLarge},
    {"simd_broadcast", "uint2", "stage[to] = uint2(x)", "simd_shuffle(stage[from], index % 32).x"},
    {"simd_sum", "float4", "stage[to] = float4(0)", "uint(simd_sum(stage[from]).x) + value"},
    {"simd_max_of_halves", "half2", "stage[to] = half2(0)", "uint(simd_max(stage[from]).x) + value"},
    {"simd_prefix_of_three", "uint3", "stage[to] = uint3(0)",
     "simd_prefix_inclusive_sum(stage[from]).z + value"},
    {"quad_shuffle", "float4", "stage[to] = float4(0)", "uint(quad_shuffle_xor(stage[from], 1).x) + value"},
    {"shuffle_and_fill", "float4", "stage[to] = float4(0)",
     "uint(simd_shuffle_and_fill_up(stage[from], float4(0), 1).x) + value"},
    {"as_type", "uint2", "stage[to] = uint2(x)", "uint(as_type<ushort4>(stage[from]).x)"},
    {"as_type_of_packed", "packed_uint3", "stage[to] = uint3(0)",
     "uint(float3(as_type<packed_float3>(stage[from])).x) + value"},
    {"user_function_of_a_vector", "float3", "stage[to] = float3(x)", "first(stage[from])",
     "__attribute__((noinline)) uint first(float3 v) { return uint(v.x); }\n"},
};

class Unannounced : public testing::TestWithParam<Access> {
 protected:
  static Ran run(const std::string& barrier) {
    const auto& one = GetParam();
    Shape shape;
    shape.threads = {64, 1, 1};
    // Elements that another simdgroup has written.
    const auto body = fmt::format(
        "threadgroup {} stage[64]; const uint to = index, from = 63 - index, x = index & 7, value = 7 - x;\n"
        "{};\n{}\nout[index] = {};\n",
        one.type, one.write, barrier, one.read);
    return BodyKernel(Mode::checked, body, shape, ", uint index [[thread_index_in_threadgroup]]", one.ahead)
        .run();
  }
};

TEST_P(Unannounced, AreSeenWhereNothingOrdersThem) {
  EXPECT_THAT(run("").kinds(), Contains(FaultKind::race)) << run("").text();
}

TEST_P(Unannounced, AreRightBehindABarrier) {
  const auto ran = run("threadgroup_barrier(mem_flags::mem_threadgroup);");
  EXPECT_THAT(ran.kinds(), IsEmpty()) << ran.text();
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(ran.out[i], 7 - (i & 7)) << i;
}

INSTANTIATE_TEST_SUITE_P(Forms, Unannounced, testing::ValuesIn(kAccesses),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay::simulator
