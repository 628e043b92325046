// The counted mode, on kernels small enough to count by hand.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using testing::Contains;

Counts count(const std::string& body, const Shape& shape = {}, const std::string& parameters = "") {
  const auto ran = run_body(Mode::counted, body, shape, parameters);
  EXPECT_TRUE(ran.report.clean()) << ran.text();
  return ran.counts;
}

/// Of buffer 0, `in`.
Traffic loads_of(const std::string& body, const Shape& shape = {}) {
  return count(body, shape).buffers.at(0);
}

constexpr Shape kOneSimdgroup = {.threads = {32, 1, 1}, .words = 4096};

class Barriers : public testing::TestWithParam<int> {};

TEST_P(Barriers, OfEachKindAreCountedApart) {
  const int n = GetParam();
  const auto counts = count(fmt::format("for (uint k = 0; k < {}; ++k) {{\n"
                                        "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                                        "  simdgroup_barrier(mem_flags::mem_threadgroup);\n"
                                        "  simdgroup_barrier(mem_flags::mem_none);\n"
                                        "}}\nout[i] = 0;",
                                        n),
                            {.threadgroups = {3, 1, 1}});
  EXPECT_EQ(counts.threadgroups, 3u);
  EXPECT_EQ(counts.threads, 64u);
  EXPECT_EQ(counts.threadgroup_barriers, 3u * n);
  ASSERT_EQ(counts.simdgroups.size(), 2u);
  for (const auto& simdgroup : counts.simdgroups) EXPECT_EQ(simdgroup.barriers, 3u * 2 * n);
}
INSTANTIATE_TEST_SUITE_P(Loops, Barriers, testing::Values(1, 2, 17));

TEST(Counters, BarriersOfOneSimdgroupAreItsOwn) {
  const auto counts = count("if (simdgroup == 1) simdgroup_barrier(mem_flags::mem_threadgroup); out[i] = 0;");
  EXPECT_EQ(counts.simdgroups[0].barriers, 0u);
  EXPECT_EQ(counts.simdgroups[1].barriers, 1u);
  EXPECT_EQ(counts.threadgroup_barriers, 0u);
}

/// What 32 lanes load together with in[index].
struct Pattern {
  const char* name;
  const char* index;
  std::uint64_t transactions, bytes;
};
void PrintTo(const Pattern& pattern, std::ostream* out) { *out << pattern.name; }

class Transactions : public testing::TestWithParam<Pattern> {};

TEST_P(Transactions, AreTheLinesThatLanesTouchTogether) {
  const auto in = loads_of(fmt::format("out[i] = in[{}];", GetParam().index), kOneSimdgroup);
  EXPECT_EQ(in.transactions, GetParam().transactions);
  EXPECT_EQ(in.transaction_bytes, GetParam().bytes);
  EXPECT_EQ(in.loaded_bytes, 128u);
}
INSTANTIATE_TEST_SUITE_P(Loads, Transactions,
                         testing::Values(Pattern{"coalesced", "lane", 1, 128},
                                         Pattern{"backwards", "31 - lane", 1, 128},
                                         Pattern{"across_two_lines", "lane + 1", 2, 128},
                                         Pattern{"every_other_word", "2 * lane", 2, 128},
                                         Pattern{"a_line_each", "32 * lane", 32, 128},
                                         Pattern{"rows_of_eight", "lane / 8 * 64 + lane % 8", 4, 128},
                                         Pattern{"one_word_for_all", "7", 1, 4},
                                         Pattern{"pairs_share_a_word", "lane / 2", 1, 64}),
                         [](const auto& info) { return info.param.name; });

TEST(Counters, StoresAreTransactionsToo) {
  const auto out = count("out[32 * lane] = 1;", kOneSimdgroup).buffers.at(1);
  EXPECT_EQ(out.transactions, 32u);
  EXPECT_EQ(out.transaction_bytes, 128u);
  EXPECT_EQ(out.stored_bytes, 128u);
  EXPECT_EQ(out.loaded_bytes, 0u);
  EXPECT_EQ(out.most_loads, 0u);
}

TEST(Counters, LanesOfTwoSimdgroupsDoNotLoadTogether) {
  EXPECT_EQ(loads_of("out[i] = in[i % 32];").transactions, 2u);
}

TEST(Counters, LanesThatLeaveALoopEarlyStayOutOfItsLaterRounds) {
  // In round k the lanes above k load from row k.
  const auto in = loads_of(
      "uint sum = 0; for (uint k = 0; k < lane; ++k) sum += in[64 * k + lane]; out[i] = sum;", kOneSimdgroup);
  EXPECT_EQ(in.transactions, 31u);
  EXPECT_EQ(in.transaction_bytes, 4u * 31 * 32 / 2);
}

TEST(Counters, RoundsAreCountedFromTheLastBarrier) {
  // Lanes 16-31 sit out the first round. In the second all lanes load one line together, after all of them
  // loaded the number of rounds.
  const auto in = loads_of(
      "uint sum = 0, rounds = in[2];\n"
      "for (uint k = 0; k < rounds; ++k) {\n"
      "  if (k == 1 || lane < 16) sum += in[64 * k + lane];\n"
      "  simdgroup_barrier(mem_flags::mem_none);\n"
      "}\nout[i] = sum;",
      kOneSimdgroup);
  EXPECT_EQ(in.transactions, 3u);
  EXPECT_EQ(in.transaction_bytes, 4u + 64 + 128);
}

TEST(Counters, LoadsOfAByteAreThoseOfItsThreadgroup) {
  // Words 0-31 by both simdgroups, each word twice by its own thread.
  const auto in = loads_of("device volatile uint* v = in; out[i] = v[i] + v[i] + v[i % 32];",
                           {.threadgroups = {3, 1, 1}});
  EXPECT_EQ(in.fewest_loads, 2u);
  EXPECT_EQ(in.most_loads, 4u);
  EXPECT_EQ(in.distinct_bytes, 3u * 64 * 4);
  EXPECT_EQ(in.loaded_bytes, 3u * 64 * 4 * 3);
  EXPECT_EQ(in.loaders, 64u);
}

TEST(Counters, LoadOfFourWordsIsOneOfEach) {
  const auto in =
      loads_of("uint4 v = ((device uint4*)in)[lane]; out[i] = v.x + v.y + v.z + v.w;", kOneSimdgroup);
  EXPECT_EQ(in.fewest_loads, 1u);
  EXPECT_EQ(in.most_loads, 1u);
  EXPECT_EQ(in.distinct_bytes, 512u);
  EXPECT_EQ(in.transaction_bytes, 512u);
}

TEST(Counters, ThreadgroupMemoryByVariable) {
  const auto counts = count(
      "threadgroup uint t[64];\n"
      "if (lane < 8) for (uint k = lane; k < 32; k += 8) t[32 * simdgroup + k] = in[k];\n"
      "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
      "if (i == 0) more[0] = 1;\n"
      "out[i] = t[i] + t[63 - i];",
      {.threadgroup_bytes = {112}}, ", threadgroup uint* more [[threadgroup(0)]]");
  EXPECT_EQ(counts.threadgroup_bytes(), 256u + 112);
  const auto& memory = counts.threadgroup_memory;
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[0].name, "t");
  EXPECT_EQ(memory[0].stored_bytes, 256u);
  EXPECT_EQ(memory[0].loaded_bytes, 512u);
  EXPECT_EQ(memory[0].writers, 16u);
  EXPECT_EQ(memory[0].loaders, 64u);
  EXPECT_EQ(memory[1].name, "more");
  EXPECT_EQ(memory[1].size_bytes, 112u);
  EXPECT_EQ(memory[1].stored_bytes, 4u);
}

constexpr const char* kProducts =
    "threadgroup half a[2][64];\n"
    "for (uint k = lane; k < 64; k += 32) a[simdgroup][k] = 1;\n"
    "simdgroup_barrier(mem_flags::mem_threadgroup);\n"
    "simdgroup_half8x8 x; simdgroup_float8x8 sum(0);\n"
    "simdgroup_load(x, a[simdgroup], 8);\n"
    "for (uint k = 0; k <= 2 * simdgroup; ++k) simdgroup_multiply_accumulate(sum, x, x, sum);\n"
    "simdgroup_store(sum, (device float*)out + 64 * simdgroup, 8);\n";

class Matrices : public testing::TestWithParam<const char*> {};

TEST_P(Matrices, EachKindOfOperationOfEachSimdgroup) {
  const auto counts = count(std::string(kProducts) + GetParam(), {.words = 128});
  for (const std::size_t g : {0, 1}) {
    EXPECT_EQ(counts.simdgroups[g].matrix_loads, 1u);
    EXPECT_EQ(counts.simdgroups[g].matrix_stores, 1u);
    EXPECT_EQ(counts.simdgroups[g].matrix_multiplications, 1u + 2 * g);
  }
  const auto& staging = counts.threadgroup_memory.at(0);
  EXPECT_EQ(staging.loaded_bytes, 256u);
  EXPECT_EQ(staging.loaders, 64u);
  EXPECT_EQ(counts.buffers[1].stored_bytes, 512u);
}
// Whole in one lane, and spread over the lanes where the kernel looks into a matrix.
INSTANTIATE_TEST_SUITE_P(Forms, Matrices,
                         testing::Values("", "if (x.thread_elements()[0] == 0) out[0] = 1;"));

TEST(Counters, MatrixFromDeviceMemoryIsEightRows) {
  const auto in = loads_of(
      "simdgroup_float8x8 m; simdgroup_load(m, (device float*)in, 64); simdgroup_store(m, (device "
      "float*)out, 8);",
      kOneSimdgroup);
  EXPECT_EQ(in.transactions, 8u);
  EXPECT_EQ(in.transaction_bytes, 256u);
  EXPECT_EQ(in.most_loads, 1u);
  EXPECT_EQ(in.loaders, 32u);
}

TEST(Counters, TensorsAreReadOnceForAllSimdgroups) {
  const auto counts = count(
      "using lengths = dextents<int, 2>;\n"
      "auto left = tensor((device char*)in, lengths(8, 32));\n"
      "auto right = tensor((device char*)in + 256, lengths(16, 8));\n"
      "auto sums = tensor((device int*)out, lengths(16, 32));\n"
      "mpp::tensor_ops::matmul2d<mpp::tensor_ops::matmul2d_descriptor(32, 16, 8), execution_simdgroups<2>> "
      "op;\n"
      "op.run(left, right, sums);",
      {.words = 512});
  EXPECT_EQ(counts.buffers[0].loaded_bytes, 256u + 128);
  EXPECT_EQ(counts.buffers[1].stored_bytes, 2048u);
  for (const std::size_t g : {0, 1}) EXPECT_EQ(counts.simdgroups[g].matrix_multiplications, 4u);
}

TEST(Counters, ThreadgroupsThatMeetAreCountedApart) {
  // Each polls until all have come, so that they take turns.
  const auto counts = count(
      "device atomic_uint* c = (device atomic_uint*)out;\n"
      "if (group == 0 && i == 0) atomic_store_explicit(c, 0, memory_order_relaxed);\n"
      "if (i == 0) while (group != 0 && atomic_load_explicit(c, memory_order_relaxed) != group) {}\n"
      "threadgroup_barrier(mem_flags::mem_device);\n"
      "uint v = in[i];\n"
      "if (i == 0) atomic_store_explicit(c, group + 1 + (v & 0), memory_order_relaxed);",
      {.threadgroups = {4, 1, 1}, .schedule = 7});
  EXPECT_EQ(counts.threadgroups, 4u);
  EXPECT_EQ(counts.threadgroup_barriers, 4u);
}

TEST(Counters, AnIndexOutOfBoundsIsStillReported) {
  const auto ran = run_body(Mode::counted,
                            "uint t[4] = {}; for (uint k = 0; k < in[5]; ++k) t[k] = k; out[i] = t[i % 4];");
  EXPECT_THAT(ran.kinds(), Contains(device::FaultKind::out_of_bounds));
}

TEST(Counters, ACheckedLaunchAfterACountedOneIsChecked) {
  count("out[i] = in[i];");
  EXPECT_EQ(Checker::current, nullptr);
  const auto ran = run_body(Mode::checked, "out[0] = i;");
  EXPECT_THAT(ran.kinds(), Contains(device::FaultKind::race));
}

TEST(Counters, ReachAloneIsHowFarEachBufferIsTouched) {
  const std::string body =
      "threadgroup uint t[64];\nt[i] = in[i];\nthreadgroup_barrier(mem_flags::mem_threadgroup);\n"
      "if (i < 20) out[i] = t[63 - i];";
  const auto all = run_body(Mode::counted, body).counts;
  const auto some = run_body(Mode::counted, body, {.only_reach = true}).counts;
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(some.buffers.at(i).end_bytes, all.buffers.at(i).end_bytes);
    EXPECT_EQ(some.buffers.at(i).loaded_bytes, all.buffers.at(i).loaded_bytes);
    EXPECT_EQ(some.buffers.at(i).stored_bytes, all.buffers.at(i).stored_bytes);
    EXPECT_EQ(some.buffers.at(i).transactions, 0u);
  }
  EXPECT_EQ(some.buffers.at(0).end_bytes, 256u);
  EXPECT_EQ(some.buffers.at(1).stored_bytes, 80u);
}

TEST(Counters, OnlyCountedDevicesCount) {
  EXPECT_FALSE(SimulatedGpu({.mode = Mode::checked, .limits = {}}).capabilities().counts);
  EXPECT_TRUE(SimulatedGpu({.mode = Mode::counted, .limits = {}}).capabilities().counts);
  EXPECT_EQ(run_body(Mode::checked, "out[i] = i;").report.counts, nullptr);
}

}  // namespace
}  // namespace assay::simulator
