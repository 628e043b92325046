// An access belongs to somebody: a thread touches its own variables, the memory of its threadgroup, what is
// bound and constants, each within its bounds. Everything else is a fault at its line, and does not happen.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

struct Attempt {
  const char* name;
  const char* body;  ///< its last line, line 2, is what touches
  const char* says;
  const char* ahead = "";
};
void PrintTo(const Attempt& one, std::ostream* out) { *out << one.name; }

// The address of a variable of a thread's own, without a cast that says so.
constexpr const char* kWhere = "struct Held { thread uint* at; };\n";
#define ASSAY_HELD                                                              \
  "uint mine[4] = {i, 1, 2, 3}; threadgroup Held held[64]; held[i].at = mine; " \
  "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
#define ASSAY_NUMBER "uint mine[4] = {i, 1, 2, 3}; Held h = {mine}; const ulong at = *(thread ulong*)&h;\n"

const std::vector<Attempt> kAttempts = {
    {"another_threads_variable_read", ASSAY_HELD "out[i] = held[i ^ 1].at[2];", "not the thread's own",
     kWhere},
    {"another_threads_variable_written", ASSAY_HELD "held[i ^ 1].at[2] = 7; out[i] = mine[2];",
     "not the thread's own", kWhere},
    {"another_threads_variable_by_an_atomic",
     ASSAY_HELD
     "out[i] = atomic_fetch_add_explicit((thread atomic_uint*)held[i ^ 1].at, 1u, memory_order_relaxed);",
     "not the thread's own", kWhere},
    {"a_struct_of_another_threads",
     ASSAY_HELD "struct Four { uint v[4]; }; Four f = *(thread Four*)held[i ^ 1].at; out[i] = f.v[2];",
     "not the thread's own", kWhere},
    {"above_the_kernels_frame", ASSAY_NUMBER "for (uint k = 0; k < 400; ++k) out[i] = ((thread uint*)at)[k];",
     "not the thread's own", kWhere},
    {"below_the_kernels_frame",
     ASSAY_NUMBER "for (uint k = 0; k < 4000; ++k) out[i] = ((thread uint*)at)[-int(k)];",
     "not the thread's own", kWhere},
    {"below_the_stacks", ASSAY_NUMBER "for (uint k = 0; k < 400; ++k) *(thread uint*)(at - 300000 * k) = 0;",
     "a write", kWhere},
    {"records_of_the_simulator",
     ASSAY_NUMBER "for (uint k = 0; k < 64; ++k) *(thread uint*)((at & ~4095ul) - 4096 * ulong(k)) = 0;",
     "not the thread's own", kWhere},
    {"past_a_constant", "\nconstant uint* p = low; out[i] = p[4 + (i & 3)];",
     "past the end of `low`, which has 16 bytes",
     "constant uint low[4] = {1, 2, 3, 4};\nconstant uint high[4] = {5, 6, 7, 8};\n"},
    {"past_a_string", "constant const char *p = \"ab\", *q = \"cd\";\nout[i] = p[3 + (i & 1)] + q[0];",
     "past the end of `string_literal"},
    {"far_past_a_constant",
     "constant uint *p = low, *q = high; const int far = p < q ? 9000 : -9000;\nout[i] = p[far + int(i & 3)] "
     "+ q[i];",
     "past the end of", "constant uint low[4] = {1, 2, 3, 4};\nconstant uint high[16384] = {5, 6, 7, 8};\n"},
    {"before_a_constant", "\nconstant uint* p = high; out[i] = p[-1 - int(i & 3)] + low[i & 3];", "",
     "constant uint low[4] = {1, 2, 3, 4};\nconstant uint high[4] = {5, 6, 7, 8};\n"},
    {"past_a_constant_of_a_template", "\nconstant uint* p = Table<3>::values; out[i] = p[3 + (i & 3)];",
     "past the end of",
     "template <int N> struct Table { static constexpr constant uint values[3] = {N, 1, 2}; };\n"},
    {"past_a_constant_struct", "\nconstant uint* p = &settings.b; out[i] = p[1 + (i & 1)];",
     "past the end of `settings`", "struct Two { uint a, b; };\nconstant Two settings = {1, 2};\n"},
    {"far_from_everything", "\nout[i] = *(device uint*)(0x7ffff0000000ul + 4096 * i);",
     "far from all memory"},
};

class OwnedMemory : public testing::TestWithParam<Attempt> {};

TEST_P(OwnedMemory, IsAllThatAThreadTouches) {
  const auto& one = GetParam();
  const auto ran = run_body(Mode::checked, one.body, {}, "", one.ahead);
  ASSERT_THAT(ran.kinds(), Contains(FaultKind::out_of_bounds)) << ran.text();
  const auto fault = std::find_if(ran.report.faults.begin(), ran.report.faults.end(),
                                  [](const auto& f) { return f.kind == FaultKind::out_of_bounds; });
  EXPECT_EQ(fault->place.line, 2u) << ran.text();
  EXPECT_THAT(fault->message, HasSubstr(one.says));
}

INSTANTIATE_TEST_SUITE_P(Attempts, OwnedMemory, testing::ValuesIn(kAttempts),
                         [](const auto& info) { return info.param.name; });

TEST(OwnedMemory, MemoryOfAnotherThreadgroupIsNot) {
  const std::string body =
      "threadgroup uint part[4]; part[i & 3] = group; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
      "if (i == 0) { device atomic_uint* d = (device atomic_uint*)out; atomic_store_explicit(d + group, "
      "uint((ulong)&part >> 12), "
      "memory_order_relaxed); atomic_fetch_add_explicit(d + 8, 1u, memory_order_relaxed); "
      "uint other = 0; for (uint k = 0; k < 4000 && other == 0; ++k) other = atomic_load_explicit(d + 8, "
      "memory_order_relaxed) == 2 ? "
      "atomic_load_explicit(d + (group ^ 1), memory_order_relaxed) : 0;\n"
      "if (other != 0) out[16 + group] = *(threadgroup uint*)((ulong)&part + (ulong(other) << 12) - "
      "((ulong)&part >> 12 << 12)); }";
  Shape shape;
  shape.threadgroups = {2, 1, 1};
  bool seen = false;
  for (std::uint64_t schedule = 1; schedule < 40 && !seen; ++schedule) {
    shape.schedule = schedule;
    const auto ran = BodyKernel(Mode::checked, "for (uint k = i; k < 32; k += 64) out[k] = 0; " + body, shape)
                         .run(schedule);
    for (const auto& fault : ran.report.faults)
      seen |= fault.kind == FaultKind::out_of_bounds && fault.place.line == 3;
  }
  EXPECT_TRUE(seen);
}

// Memory that is there, and that the host has written, but not for this launch.
TEST(OwnedMemory, BuffersThatAreNotBoundAreNot) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("assay-unbound-{}.metal", getpid());
  std::ofstream(path) << "#include <metal_stdlib>\nusing namespace metal;\n"
                         "kernel void k(device uint* in [[buffer(0)]], device uint* out [[buffer(1)]]) {\n"
                         "  const ulong there = ulong(in[1]) << 32 | in[0];\n"
                         "  if (there == 0) { out[0] = uint((ulong)in); out[1] = uint((ulong)in >> 32); }\n"
                         "  else out[2] = *(device uint*)(there + 8);\n}\n";
  for (const std::size_t words : {8, 1 << 17}) {  // the checker keeps records of large ones otherwise
    SimulatedGpu gpu({.mode = Mode::checked, .limits = {}});
    const auto kernel = gpu.load({path, "k", {}, {}, {}});
    const auto other = gpu.allocate(4 * words), known = gpu.allocate(12);
    const std::vector<std::uint32_t> values(words);
    gpu.upload(other, 0, std::as_bytes(std::span(values)));
    gpu.upload(known, 0, std::as_bytes(std::span(values).first(3)));
    const auto run = [&](device::BufferId in, device::BufferId out, std::size_t bytes) {
      return gpu.dispatch({kernel,
                           {device::BufferSlice{in, 0, bytes}, device::BufferSlice{out, 0, 12}},
                           {},
                           {1, 1, 1},
                           false,
                           {1, 1, 1}});
    };
    EXPECT_TRUE(run(other, known, 4 * words).clean());
    const auto to = gpu.allocate(12);
    for (int time = 0; time < 2; ++time) {
      const auto report = run(known, to, 12);
      ASSERT_EQ(report.faults.size(), 1u) << words;
      EXPECT_EQ(report.faults[0].kind, FaultKind::out_of_bounds);
      EXPECT_THAT(report.faults[0].message, HasSubstr("a buffer that is not bound to this launch"));
      EXPECT_EQ(report.faults[0].place.line, 6u);
      EXPECT_TRUE(run(other, to, 4 * words).clean()) << "what the host wrote is still known";
    }
  }
  std::filesystem::remove(path);
}

// Its own: variables by pointer, arguments, what collectives give, constants to their last byte.
TEST(OwnedMemory, OwnVariablesAndConstantsAreNoFault) {
  const auto ran =
      run_body(Mode::checked,
               "uint mine[4] = {i, 1, 2, 3}; thread uint* at = &mine[i & 3]; *at += 1; Pair p = {mine[0], "
               "2}; bump(&p.a);\n"
               "constant uint* c = low; threadgroup uint part[64]; part[i] = c[i & 3] + high[3]; "
               "threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = simd_sum(part[i ^ 1]) + *at + p.a "
               "+ Table<2>::values[i % 3] + length(\"two words\") + length(i % 2 == 0 ? \"one\" : \"\");",
               {}, "",
               "struct Pair { uint a, b; };\nvoid bump(thread uint* x) { *x += 1; }\nconstant uint low[4] = "
               "{1, 2, 3, 4};\n"
               "constant uint high[4] = {5, 6, 7, 8};\n"
               "uint length(constant const char* text) { uint n = 0; while (text[n] != 0) ++n; return n; }\n"
               "template <int N> struct Table { static constexpr constant uint values[3] = {N, 1, 2}; };\n");
  EXPECT_THAT(ran.kinds(), IsEmpty()) << ran.text();
}

}  // namespace
}  // namespace assay::simulator
