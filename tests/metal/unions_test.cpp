// Unions, assigned as a whole and not: what the assignment that they are given must leave alone.
#include <vector>

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

struct UnionText {
  const char* name;
  const char* declarations;
  const char* body;  ///< of a function of `uint i` that gives an int
  int result;
};
void PrintTo(const UnionText& one, std::ostream* out) { *out << one.name; }

const std::vector<UnionText> kUnions = {
    // With an assignment, C++ would not pack it, and put what is derived from it into its padding.
    {"PackedNumbers",
     "typedef uint u32;\nunion bits { u32 u; float f; };\n"
     "struct __attribute__((packed)) rec { uchar tag; bits v; };\nstatic_assert(sizeof(rec) == 5, \"\");\n"
     "struct base { union { u32 u; float f; }; uchar c; };\nstruct derived : base { uchar d; };\n"
     "static_assert(sizeof(derived) == 12, \"\");\n",
     "rec a; a.v.u = 7 + i; rec b; b = a; out[i] = b.v.u;", 7},
    {"NumbersInUnnamedStructs",
     "typedef uint u32;\nunion word { u32 u; float f; };\nstruct S { union { struct { word a, b; }; ulong "
     "all; "
     "}; };\n",
     "S s; s.all = 0x500000003; S t; t = s; out[i] = t.a.u * 10 + t.b.u;", 35},
    {"Pointers",
     "union U { device float* f; device uint* u; };\nstatic_assert(is_trivially_copyable_v<U>, \"\");\n",
     "out[i] = sizeof(U) + i;", 8},
    {"UnionsInUnions", "union U { half2 h; uint u; };\nunion V { union U u; uint w; };\n",
     "V a, b; a.w = 6 + i; b = a; out[i] = b.u.u;", 6},
    {"StructsOfVectorsInUnions",
     "struct X { half2 h; ushort n; };\nunion U { struct X x; uint w; };\nstruct S { U u; int k; };\n",
     "S a, b; a.u.x.n = 4; a.k = 5 + i; b = a; out[i] = b.u.x.n * 10 + b.k;", 45},
    {"AliasesOfVectors",
     "using pair = half2;\ntypedef pair couple;\ntypedef half four __attribute__((ext_vector_type(4)));\n"
     "struct S { union { couple h; uint u; }; union { four f; ulong l; }; };\n",
     "S a, b; a.u = 0x40003C00; a.l = 9 + i; b = a; out[i] = int(b.h.x) * 100 + int(b.h.y) * 10 + int(b.l);",
     129},
    {"InitialisersAndReturnTypes",
     "union U { half2 h; uint w; };\n"
     "template <class T> auto get(T x) -> T { union { T v; uint u; }; v = x; return v; }\n"
     "struct A { U m; A(union U u) : m{u} {}\n  union U give() const thread { return m; } };\n"
     "union U made(uint w) { U u; u.w = w; return u; }\n",
     "union U u{half2(1, 2)}; A a(made(3 + i)); U v; v = a.give(); out[i] = int(get(u.h.y)) * 10 + v.w;", 23},
    {"NamesOfTheirOwn",
     "struct Outer { union Inner; };\nunion Outer::Inner { half2 h; uint w; };\nstruct Base { int b; };\n"
     "typedef struct : Base { union { half2 h; uint w; }; } S;\n"
     "struct Tail { union { half2 h; uint w; } u; struct { union { half4 f; ulong l; }; } many[2]; };\n",
     "Outer::Inner a, b; a.w = 1 + i; b = a; S s, t; s.b = 2; s.w = 3; t = s; Tail x, y; x.u.w = 4; "
     "x.many[1].l = "
     "5; y = x; out[i] = b.w * 10000 + t.b * 1000 + t.w * 100 + y.u.w * 10 + int(y.many[1].l);",
     12345},
    {"AssignmentsOfTheText",
     "struct Sat { int v; thread Sat& operator=(const thread Sat& o) thread { v = min(o.v, 9); return *this; "
     "} };\n"
     "typedef uint u32;\nstruct S { union { u32 w; float f; }; Sat c; };\n"
     "struct O { union { half2 h; uint w; }; thread O& operator=(const thread O& o) thread { w = o.w + 1; "
     "return "
     "*this; } };\n",
     "S a, b; a.c.v = 20 + i; a.w = 0; b = a; O o, p; o.w = 3; p = o; out[i] = b.c.v * 10 + p.w;", 94},
    // Nobody writes the fourth element of a float3, or what is behind the last of three bytes.
    {"PaddingThatNobodyWrites", "struct P { float3 at; union { half2 h; uint w; }; uchar last[3]; };\n",
     "threadgroup P shared[2]; shared[i].at = float3(1, 2, 3); shared[i].w = 4;\n"
     "for (int k = 0; k < 3; ++k) shared[i].last[k] = 5;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\n"
     "P p; p = shared[1 - i]; out[i] = int(p.at.z) * 100 + p.w * 10 + p.last[2];",
     345},
};

class Unions : public testing::TestWithParam<std::tuple<UnionText, Setting>> {};

TEST_P(Unions, KeepTheirMeaning) {
  const auto& [text, setting] = GetParam();
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "k.metal", std::string("#include <metal_stdlib>\nusing namespace metal;\n") + text.declarations +
                     "kernel void k(device int* out, uint i [[thread_position_in_grid]]) {\n" + text.body +
                     "\n}\n");
  KernelRun kernel(file, "k");
  kernel.buffer(0, std::vector<int>(2)).grid({1, 1, 1}, {2, 1, 1});
  const auto finished = kernel.run(setting.mode);
  for (const auto& fault : finished.report.faults) ADD_FAILURE() << fault.message;
  EXPECT_EQ(finished.values<int>(0)[0], text.result);
}

std::string name_of_union(const testing::TestParamInfo<std::tuple<UnionText, Setting>>& info) {
  const auto& [text, setting] = info.param;
  return std::string(text.name) + (setting.mode == simulator::Mode::checked ? "_Checked" : "_Fast");
}

INSTANTIATE_TEST_SUITE_P(, Unions,
                         testing::Combine(testing::ValuesIn(kUnions),
                                          testing::Values(Setting{simulator::Mode::fast},
                                                          Setting{simulator::Mode::checked})),
                         name_of_union);

}  // namespace
}  // namespace assay::metal
