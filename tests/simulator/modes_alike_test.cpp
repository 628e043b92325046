// A text sees the same in fast and in checked mode, also where it looks at what has no value: it cannot tell
// which one it runs in.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

struct Look {
  const char* name;
  const char* body;  ///< stores what it sees
  const char* ahead = "";
  unsigned metal_version = device::kMetalVersion;
};
void PrintTo(const Look& one, std::ostream* out) { *out << one.name; }

const std::vector<Look> kLooks = {
    {"uint", "uint u; out[i] = u;"},
    {"float", "float u; out[i] = as_type<uint>(u);"},
    {"half", "half u; out[i] = as_type<ushort>(u);"},
    {"uchar", "uchar u; out[i] = u;"},
    {"bool", "bool u; out[i] = u ? 7 : 9;"},
    {"ulong", "ulong u; out[i] = uint(u >> 32) ^ uint(u);"},
    {"float4", "float4 u; out[i] = as_type<uint4>(u).w;"},
    {"half3", "half3 u; out[i] = as_type<ushort>(u.z);"},
    {"matrix", "float3x3 u; out[i] = as_type<uint>(u[1][2]);"},
    {"array", "uint u[8]; uint h = 0; for (uint j = 0; j < 8; ++j) h = h * 31 + u[j]; out[i] = h;"},
    {"part_of_an_array",
     "uint u[8]; u[i & 7] = 1; uint h = 0; for (uint j = 0; j < 8; ++j) h = h * 31 + u[j]; out[i] = h;"},
    {"structure", "struct S { uint a; float b; } u; out[i] = u.a ^ as_type<uint>(u.b);"},
    {"constructor", "S u; out[i] = u.a + u.b;", "struct S { uint a, b; S() : a(1) {} };\n"},
    {"temporary", "out[i] = S().b;", "struct S { uint a, b; S() : a(1) {} };\n"},
    {"result", "out[i] = make(i).b;",
     "struct S { uint a, b; };\nS make(uint x) { S s; s.a = x; return s; }\n"},
    {"callable", "out[i] = S()();", "struct S { uint operator()() const { uint u; return u; } };\n"},
    {"lambda", "out[i] = [] { uint u; return u; }();", "", 400},
    {"loop", "uint h = 0; for (uint j = 0; j < 3; ++j) { uint u; h += u; u = j; } out[i] = h;"},
    {"pointer", "thread uint* p; out[i] = p == nullptr;"},
    {"simdgroup_matrix", "simdgroup_float8x8 m; out[i] = as_type<uint>(m.thread_elements()[0]);"},
    {"padding",
     "struct S { uchar a; uint b; } u; u.a = 1; u.b = 2; thread uchar* p = (thread uchar*)&u; out[i] = p[1] "
     "| p[2] << 8;"},
    {"union", "union U { uint a; uchar b[8]; } u; u.a = 3; out[i] = u.b[6];"},
    {"sizes", "out[i] = sizeof(S) * 1000 + sizeof(float3) * 100 + alignof(float3);",
     "struct S { float3 a; uchar b; packed_half3 c; };\n"},
    {"sum_beyond", "int s = 0x7FFFFFFF - int(i & 1); s += int(i); out[i] = (s > 0 ? 1u : 2u) + uint(s);"},
    {"difference_beyond",
     "const int least = int(0x80000000u + (i & 1)); out[i] = uint(least - int(i)) ^ (least - int(i) < "
     "least);"},
    {"product_beyond", "const int p = int(i) * 0x10000001; out[i] = uint(p / 3) + (p < int(i));"},
    {"negated_least", "const int least = int(0x80000000u + i); out[i] = uint(-least) + (-least < 0);"},
    {"least_without_sign", "out[i] = uint(abs(int(0x80000000u + i))) + (abs(int(0x80000000u + i)) < 0);"},
    {"sum_of_longs_beyond",
     "const long s = long(i) * 0x0200000000000001l; out[i] = uint(s >> 33) + (s < 0);"},
    {"comparison_of_sums", "const int a = int(i) + 0x7FFFFFE0; out[i] = a + 1 > a ? 7 : 9;"},
    {"loop_to_the_end", "uint n = 0; for (int j = 0x7FFFFFFF - int(i); j > 0; ++j) ++n; out[i] = n;"},
    {"short_sums", "short s = short(0x7FF0); s += short(i); ++s; out[i] = uint(int(s));"},
    {"vector_sums", "out[i] = uint((int4(int(i)) + int4(0x7FFFFFF0)).z < 0);"},
    {"quotient_of_nothing", "const uint z = i / 64; out[i] = 7 / z + 3 % z;"},
    {"signed_quotient_of_nothing",
     "const int z = int(i / 64); out[i] = uint(7 / z) ^ uint(long(i) % long(z));"},
    {"quotients_of_two_widths", "const uint z = i / 64; out[i] = (5 / z) * 31 + ushort(9) / ushort(z);"},
    {"quotient_beyond", "const int z = int(i / 64) - 1; out[i] = uint(int(0x80000000u) / z);"},
    {"narrowed_numbers",
     "const int w = int(i) * 1000003; out[i] = uint(char(w)) ^ uint(short(w >> 3)) << 8;"},
    {"not_a_number",
     "const float z = float(i / 64); out[i] = as_type<uint>(z / z) ^ as_type<uint>(-(z / z));"},
    {"halves", "half h = half(float(i) * 0.1f) * 0.3h + 0.7h; h /= 3.0h; out[i] = as_type<ushort>(h);"},
    {"sum_of_quotients",
     "float z = 0; for (uint j = 0; j < 37; ++j) z += 1.0f / float(j + 1 + i); out[i] = as_type<uint>(z);"},
    {"sums_of_a_vector",
     "float4 v = float4(i, 1, 3, 7) / 3; v = v * v + v; out[i] = as_type<uint>(dot(v, v));"},
    {"signs_of_zero",
     "const float z = -0.0f * float(i + 1); out[i] = as_type<uint>(min(z, 0.0f)) ^ as_type<uint>(max(0.0f, "
     "z)) "
     ">> 1;"},
    {"functions",
     "const float z = float(i) / 7; out[i] = as_type<uint>(sin(z) + exp(-z) * log(z + 1) + tanh(z));"},
    {"threadgroup_garbage",
     "threadgroup uint part[64]; if (i < 32) part[i] = i; uint h = 0; for (uint j = 0; j < 64; ++j) h = h * "
     "31 + "
     "part[j]; out[i] = h;"},
    {"what_was_there", "out[i] = out[i] * 3 + out[(i + 1) & 63];"},
    {"bit_fields",
     "struct B { int a : 5; uint b : 3; } q; q.a = int(i) * 7; q.b = i * 5; out[i] = uint(q.a) + q.b;"},
    {"inactive_lane", "uint v = i; if (i & 1) v = simd_shuffle(i * 3, ushort(lane ^ 1)); out[i] = v;"},
    {"order_of_atomics",
     "threadgroup atomic_uint n; if (i == 0) atomic_store_explicit(&n, 0u, memory_order_relaxed); "
     "threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = atomic_fetch_add_explicit(&n, 1u, "
     "memory_order_relaxed);"},
    {"time", "constexpr const constant char* t = __TIME__; out[i] = sizeof(__DATE__ __TIME__) + t[7];"},
};

class ModesAlike : public testing::TestWithParam<Look> {};

TEST_P(ModesAlike, ShowTheSame) {
  const auto& one = GetParam();
  const Shape shape{.metal_version = one.metal_version};
  const auto fast = run_body(Mode::fast, one.body, shape, "", one.ahead);
  const auto checked = run_body(Mode::checked, one.body, shape, "", one.ahead);
  EXPECT_EQ(fast.out, checked.out) << fast.text() << checked.text();
}

INSTANTIATE_TEST_SUITE_P(Looks, ModesAlike, testing::ValuesIn(kLooks),
                         [](const auto& info) { return info.param.name; });

// A number that differs from one mode to the next, and from one machine to another.
TEST(ModesAlike, AddressesOfOwnVariablesAreNoNumbers) {
  for (const char* cast : {"(ulong)&u", "(ulong)u", "ulong(&u[1])", "reinterpret_cast<ulong>(u)",
                           "(uint64_t)(thread char*)u", "(size_t)(u + 1)", "(Number)&u[0]",
                           "(unsigned long)&u", "((ulong)u & 3)", "Template<ulong>::of(u)"}) {
    for (const auto mode : {Mode::fast, Mode::checked}) {
      const auto ran =
          run_body(mode, "uint u[2]; u[0] = i;\nout[i] = uint(" + std::string(cast) + " >> 40);", {}, "",
                   "using Number = ulong;\ntemplate <class T> struct Template { static T of(thread "
                   "uint* p) { return T(p); } };\n");
      ASSERT_EQ(ran.report.faults.size(), 1u) << cast << ran.text();
      const bool in_body = !std::string(cast).starts_with("Template");
      EXPECT_EQ(ran.report.faults[0].place.line == 2u, in_body) << cast;
      EXPECT_THAT(ran.report.faults[0].message, testing::HasSubstr("becomes a number"));
    }
  }
}

TEST(ModesAlike, AddressesOfConstantsAreNoNumbers) {
  for (const auto mode : {Mode::fast, Mode::checked})
    for (const char* cast : {"ulong(p) >> 8", "ulong(table) >> 8", "(ulong)&table[1] & 15"}) {
      const auto ran = run_body(
          mode,
          "constant uint* p = table + (i & 1);\nout[i] = p[0] + table[1] + uint(" + std::string(cast) + ");",
          {}, "", "constant uint table[3] = {5, 6, 7};\n");
      ASSERT_EQ(ran.report.faults.size(), 1u) << cast << ran.text();
      EXPECT_EQ(ran.report.faults[0].place.line, 2u);
      EXPECT_THAT(ran.report.faults[0].message, testing::HasSubstr("of a constant becomes a number"));
    }
}

}  // namespace
}  // namespace assay::simulator
