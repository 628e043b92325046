// Variables of a thread's own: a read before the first write is seen, with its line and the declaration's.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::HasSubstr;

Ran watched(const std::string& body) {
  static int count = 0;
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("assay-watched-{}-{}.metal", getpid(), count++);
  std::ofstream(path) << "#include <metal_stdlib>\nusing namespace metal;\n"
                      << "struct Pair { float a, b; };\n"
                      << "template <class T> T twice(T x) { T y; y = x; return y + y; }\n"
                      << "kernel void k(device uint* in [[buffer(0)]], device uint* out [[buffer(1)]],\n"
                      << "uint i [[thread_index_in_threadgroup]]) {\n#line 1\n"
                      << body << "\n}\n";
  SimulatedGpu gpu({.mode = Mode::checked, .private_variables = true, .limits = {}});
  const auto kernel = gpu.load({path, "k", {}, {}, {}});
  std::filesystem::remove(path);
  const auto in = gpu.allocate(256), out = gpu.allocate(256);
  std::vector<std::uint32_t> words(64);
  for (std::size_t w = 0; w < 64; ++w) words[w] = static_cast<std::uint32_t>(w);
  gpu.upload(in, 0, std::as_bytes(std::span(words)));
  device::Dispatch dispatch;
  dispatch.kernel = kernel;
  dispatch.arguments = {device::BufferSlice{in, 0, 256}, device::BufferSlice{out, 0, 256}};
  dispatch.threads_per_threadgroup = {64, 1, 1};
  Ran ran;
  ran.report = gpu.dispatch(dispatch);
  return ran;
}

struct Unwritten {
  const char* name;
  std::uint32_t declared, read;  ///< lines
  const char* variable;
  const char* body;
};
void PrintTo(const Unwritten& unwritten, std::ostream* out) { *out << unwritten.name; }

class ReadBeforeWritten : public testing::TestWithParam<Unwritten> {};

TEST_P(ReadBeforeWritten, IsNamedWithBothLines) {
  const auto& [name, declared, read, variable, body] = GetParam();
  const auto ran = watched(body);
  ASSERT_EQ(ran.report.faults.size(), 1u) << ran.text();
  const auto& fault = ran.report.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::uninitialised_read);
  EXPECT_THAT(fault.message, HasSubstr(fmt::format("`{}`, declared in line {},", variable, declared)));
  EXPECT_EQ(fault.place.line, read) << fault.message;
  ASSERT_EQ(fault.accesses.size(), 2u);
  EXPECT_EQ(fault.accesses[1].place.line, declared);
  EXPECT_TRUE(fault.variable);
}

constexpr Unwritten kUnwritten[] = {
    {"Scalar", 1, 2, "sum", "float sum;\nsum += float(i);\nout[i] = as_type<uint>(sum);"},
    {"InOneBranch", 1, 3, "x", "uint x;\nif (i < 40) x = in[i];\nout[i] = x;"},
    {"SecondOfTwo", 1, 2, "b", "uint a = 1, b;\nout[i] = a + b;"},
    {"ElementOfAnArray", 1, 3, "part",
     "uint part[4];\nfor (uint k = 0; k < 3; ++k) part[k] = k;\nout[i] = part[in[i] % 4];"},
    {"ComponentOfAVector", 1, 3, "v",
     "float4 v;\nv.x = 1; v.y = 2; v.z = 3;\nout[i] = as_type<uint>(v.x + v.w);"},
    {"MemberOfAStruct", 1, 3, "pair", "Pair pair;\npair.a = 1;\nout[i] = as_type<uint>(pair.a + pair.b);"},
    {"AgainInEachRound", 2, 4, "t",
     "uint s = 0; for (uint k = 0; k < 2; ++k) {\nuint t;\nif (k == 0) t = 5;\ns += t;\n}\nout[i] = s;"},
    {"InALoopsBody", 3, 4, "half_of",
     "uint s = 0;\nfor (uint k = 0; k < 2; ++k) {\n  half half_of;\n  s += "
     "as_type<uint>(float(half_of));\n}\nout[i] = s;"},
    {"AcrossABarrier", 1, 3, "x",
     "uint x; if (i > 0) x = 3;\nthreadgroup_barrier(mem_flags::mem_none);\nout[i] = x;"},
};
INSTANTIATE_TEST_SUITE_P(Variables, ReadBeforeWritten, testing::ValuesIn(kUnwritten),
                         [](const auto& info) { return info.param.name; });

// What is written in time is not suspected, however it is.
TEST(PrivateVariables, WrittenInTimeAreNoFault) {
  for (const char* body : {
           "uint x;\nif (i < 40) x = in[i]; else x = 7;\nout[i] = x;",
           "uint part[8]; for (uint k = 0; k < 8; ++k) part[k] = k;\nout[i] = part[in[i] % 8];",
           "uint part[2][3]; for (uint k = 0; k < 6; ++k) part[k / 3][k % 3] = k;\nout[i] = part[1][i % 3];",
           "float4 v; v.x = 1; v.yzw = float3(2);\nout[i] = uint(v.x + v.w);",
           "float3 v; v = float3(float(i));\nout[i] = uint(v.z);",
           "Pair pair; pair = Pair{1, 2}; Pair other; other = pair;\nout[i] = uint(other.b);",
           "float x, y; y = sincos(float(i), x);\nout[i] = as_type<uint>(x + y);",
           "uint a[4]; thread uint* p = a; for (uint k = 0; k < 4; ++k) *p++ = k;\nout[i] = a[3];",
           "out[i] = uint(twice(float(i)));",
           ("simdgroup_float8x8 m; simdgroup_load(m, (device float*)in, 8);\n"
            "if (i < 32) simdgroup_store(m, (device float*)out, 8);"),
           "struct alignas(8) { uint a; uint b; } near; near.b = i; out[i] = near.b;",
           "struct __attribute__((packed)) { uint a; uint b; } close; close.a = i; out[i] = close.a;",
           ("switch (i % 2) { uint x; case 0: x = in[i]; out[i] = x; break; default: { uint z; z = 2; out[i] "
            "= z; } }"),
           "uint x, y = 3; switch (i % 2) { case 0: x = 1; break; default: x = 2; }\nout[i] = x + y;",
       }) {
    const auto ran = watched(body);
    EXPECT_TRUE(ran.report.faults.empty()) << body << "\n" << ran.text();
  }
}

}  // namespace
}  // namespace assay::simulator
