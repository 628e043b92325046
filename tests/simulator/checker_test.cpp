// The checked mode: each kind of fault is seen, with its line, and right kernels are not suspected.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::ElementsAre;
using testing::HasSubstr;

Ran checked(const std::string& body, const Shape& shape = {}, const std::string& parameters = "") {
  return run_body(Mode::checked, body, shape, parameters);
}

struct Faulty {
  const char* name;
  FaultKind kind;
  std::uint32_t line;
  const char* body;
};
void PrintTo(const Faulty& faulty, std::ostream* out) { *out << faulty.name; }

class EachFault : public testing::TestWithParam<Faulty> {};

TEST_P(EachFault, IsReportedAtItsLine) {
  const auto ran = checked(GetParam().body);
  // A reader that comes before its writer shows a race and an uninitialised read: one of the faults is the
  // one.
  bool found = false;
  for (const auto& fault : ran.report.faults) {
    for (const auto& access : fault.accesses) {
      found |= fault.kind == GetParam().kind && access.place.line == GetParam().line;
    }
  }
  EXPECT_TRUE(found) << ran.text();
}

// What a fault is about is a field, so nobody has to look for it in the words.
TEST(Checked, AFaultNamesWhatItIsAbout) {
  const auto object = [](const std::string& body) {
    const auto ran = run_body(Mode::checked, body);
    return ran.report.faults.empty() ? "no fault" : ran.report.faults.front().object;
  };
  EXPECT_EQ(object("out[i] = in[i + 1];"), "in");
  EXPECT_EQ(object("out[0] = i;"), "out");
  EXPECT_EQ(object("threadgroup uint t[64]; out[i] = t[i];"), "t");
  const auto far = run_body(Mode::checked, "out[i] = in[ulong(i) << 40];").report.faults;
  ASSERT_FALSE(far.empty());
  EXPECT_TRUE(far.front().stray);
  EXPECT_EQ(far.front().object, "");
}

// The threads that a barrier waits for may be gone: what sent them away is the cause.
TEST(Divergence, NamesTheReturnOfThoseThatDoNotCome) {
  struct Left {
    const char* body;
    std::uint32_t line;
  };
  constexpr Left kLeft[] = {
      {"out[i] = i;\nif (i >= 40) return;\nthreadgroup_barrier(mem_flags::mem_threadgroup);", 2},
      {"out[i] = i;\nif (i >= 40) {\n  if (i > 200) return;\n  return;\n}\n"
       "simdgroup_barrier(mem_flags::mem_none);\nthreadgroup_barrier(mem_flags::mem_threadgroup);",
       4},
      {"out[i] = i;\nif (i < 40)\n  threadgroup_barrier(mem_flags::mem_threadgroup);",
       4},  // the closing brace
  };
  for (const Left& left : kLeft) {
    const auto ran = checked(left.body);
    ASSERT_FALSE(ran.report.faults.empty()) << left.body;
    const auto& accesses = ran.report.faults[0].accesses;
    ASSERT_EQ(accesses.size(), 2u) << ran.text();
    EXPECT_THAT(accesses[1].what, HasSubstr(" has ended"));
    EXPECT_EQ(accesses[1].place.line, left.line) << left.body;
  }
}

// One line may be in two races: the second must not be lost behind the first.
TEST(Spread, SaysHowOftenInHowManyThreadgroupsAndBesideWhichOtherLines) {
  const auto ran = checked("threadgroup uint t[64];\nt[i] = i;\nout[i] = t[63 - i];\nin[i] = t[i ^ 33];",
                           {.threadgroups = {3, 1, 1}, .words = 192});
  std::string all;
  for (const auto& fault : ran.report.faults) {
    for (const auto& access : fault.accesses) all += access.what + "\n";
  }
  EXPECT_THAT(all, HasSubstr(" in 3 threadgroups)")) << ran.text();
}

constexpr Faulty kFaults[] = {
    {"WriteThenReadBySimdgroups", FaultKind::race, 3,
     "threadgroup uint t[64];\nt[i] = i;\nout[i] = t[63 - i];"},
    {"WriteThenReadInsideSimdgroup", FaultKind::race, 3,
     "threadgroup uint t[64];\nt[i] = i;\nout[i] = t[i ^ 1];"},
    {"ReadThenWrite", FaultKind::race, 5,
     "threadgroup uint t[64];\nt[i] = i;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = t[63 - "
     "i];\n"
     "t[i] = 0;"},
    {"TwoWrites", FaultKind::race, 2, "threadgroup uint t[1];\nt[0] = 7;\nout[i] = i;"},
    {"SimdgroupBarrierForThreadgroup", FaultKind::race, 4,
     "threadgroup uint t[64];\nt[i] = i;\nsimdgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = t[63 - "
     "i];"},
    {"BarrierOfTheOtherMemory", FaultKind::race, 4,
     "threadgroup uint t[64];\nt[i] = i;\nthreadgroup_barrier(mem_flags::mem_device);\nout[i] = t[63 - i];"},
    {"DeviceMemoryInsideThreadgroup", FaultKind::race, 3,
     "out[i] = i;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nin[i] = out[63 - i];"},
    {"MatrixLoadWithoutBarrier", FaultKind::race, 2,
     "threadgroup float t[64]; simdgroup_float8x8 m;\nt[i] = i;\nsimdgroup_load(m, t, 8);\nout[i] = i;"},
    {"ReadPastTheEnd", FaultKind::out_of_bounds, 1, "out[i] = in[i + 1];"},
    {"ReadBeforeTheStart", FaultKind::out_of_bounds, 1, "out[i] = in[int(i) - 1];"},
    {"WritePastTheEnd", FaultKind::out_of_bounds, 1, "out[i + (i == 63)] = i;"},
    {"PastThreadgroupArray", FaultKind::out_of_bounds, 2,
     "threadgroup uint t[64]; threadgroup uint* p = t;\np[i + 1] = i;\nout[i] = i;"},
    {"InnerBoundOfArray", FaultKind::out_of_bounds, 2,
     "threadgroup uint t[8][8];\nt[i / 8][i % 8 + 1] = i;\nout[i] = i;"},
    {"FarAway", FaultKind::out_of_bounds, 1, "out[i] = in[i * 100000000];"},
    // A compiler may take for granted that loops end, and end inside their arrays.
    {"LoopPastAnArrayOfItsOwn", FaultKind::out_of_bounds, 2,
     "uint own[2][3]; uint sum = 0;\nfor (uint k = 0; k <= 2; ++k) { own[k][0] = in[k]; sum += own[k][0]; }\n"
     "out[i] = sum;"},
    {"LoopPastTheLastMember", FaultKind::out_of_bounds, 2,
     "struct Own { uint at[2][3]; } memory; thread Own* own = &memory; uint sum = 0;\n"
     "for (uint k = 0; k <= 2; ++k) { own->at[k][0] = in[k]; sum += own->at[k][0]; }\nout[i] = sum;"},
    {"SearchWithoutABound", FaultKind::out_of_bounds, 2,
     "bool found = false;\nfor (uint k = 0;; ++k) { if (in[k] == 77) { found = true; break; } }\n"
     "out[i] = found ? 1 : 2;"},
    {"MatrixPastTheEnd", FaultKind::out_of_bounds, 2,
     "simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);\n"
     "simdgroup_store(m, (device float*)out + 1, 8);"},
    {"HalfAtAnOddAddress", FaultKind::misaligned, 1, "out[i] = *(device half*)((device uchar*)in + i + 1);"},
    {"WordInTheMiddleOfTwo", FaultKind::misaligned, 1,
     "out[i] = i < 60 ? *(device uint*)((device half*)in + i) : 0;"},
    {"StoreOfAFloat", FaultKind::misaligned, 2,
     "threadgroup uchar t[260];\n*(threadgroup float*)(t + 4 * i + 2) = 1;\nout[i] = i;"},
    {"VectorBetweenItsElements", FaultKind::misaligned, 2,
     "device half4* v = (device half4*)((device uchar*)in + 3);\nout[i] = v->x;"},
    {"VectorReadWhole", FaultKind::misaligned, 2,
     "device uchar* at = (device uchar*)in + 2;\nfloat4 v = *(device float4*)at; out[i] = v.x + v.y;"},
    {"PackedVector", FaultKind::misaligned, 1,
     "out[i] = (*(device packed_half3*)((device uchar*)in + 1))[0];"},
    {"Brain", FaultKind::misaligned, 1, "out[i] = float(*(device bfloat*)((device uchar*)in + 3));"},
    {"Block", FaultKind::misaligned, 3,
     "struct Block { half d; uchar codes[16]; };\ndevice Block* block = (device Block*)((device uchar*)in + "
     "1);\n"
     "out[i] = block->d;"},
    {"PrivateBytes", FaultKind::misaligned, 2,
     "uchar own[16]; for (uint b = 0; b < 16; ++b) own[b] = in[b];\nout[i] = *(thread uint*)(own + 1 + i % 2 "
     "* 2);"},
    {"MatrixBetweenElements", FaultKind::misaligned, 2,
     "simdgroup_half8x8 m;\nsimdgroup_load(m, (device half*)((device uchar*)in + 1), 8);\nout[i] = i;"},
    {"AtomicBetweenWords", FaultKind::misaligned, 1,
     "out[i] = atomic_load_explicit((device atomic_uint*)((device half*)in + 1), memory_order_relaxed);"},
    {"ThreadgroupMemoryNobodyWrote", FaultKind::uninitialised_read, 2,
     "threadgroup uint t[65]; t[i] = i; threadgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = t[i + "
     "1];"},
    {"DeviceMemoryNobodyWrote", FaultKind::uninitialised_read, 1, "in[i] = out[i];"},
    {"HalfTheThreads", FaultKind::divergent_barrier, 1,
     "if (i < 32) threadgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = i;"},
    {"SomeLeaveBefore", FaultKind::divergent_barrier, 2,
     "out[i] = i; if (i >= 40) return;\nthreadgroup_barrier(mem_flags::mem_threadgroup);"},
    {"TwoBarriersMeet", FaultKind::divergent_barrier, 1,
     "if (i < 32) threadgroup_barrier(mem_flags::mem_threadgroup);\n"
     "else threadgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = i;"},
    {"SimdgroupBarrierInBranch", FaultKind::divergent_barrier, 1,
     "if (lane < 8) simdgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = i;"},
    {"MatrixOperationInBranch", FaultKind::divergent_barrier, 3,
     "threadgroup float t[64]; simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);\n"
     "if (i < 8) simdgroup_store(m, t, 8);\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = i;"},
    {"MatrixPointerThatDiffersBetweenLanes", FaultKind::divergent_barrier, 3,
     "threadgroup float t[512]; simdgroup_float8x8 m; for (uint e = i; e < 512; e += 64) t[e] = 1; "
     "threadgroup_barrier(mem_flags::mem_threadgroup);\nsimdgroup_load(m, t + lane, "
     "8);\nthreadgroup_barrier(mem_flags::mem_threadgroup); out[i] = i;"},
    {"MatrixValueThatDiffersBetweenLanes", FaultKind::divergent_barrier, 2,
     "simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(float(lane)); out[i] = i;\n"
     "threadgroup_barrier(mem_flags::mem_threadgroup);"},
    {"MatrixOperationOfOneLaneAtTheEnd", FaultKind::divergent_barrier, 0,
     "simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);\n"
     "if (i == 0) simdgroup_store(m, (device float*)out, 8);"},
    {"MatrixStoredAndLoadedWithoutBarrier", FaultKind::race, 3,
     "threadgroup float t[2][64]; simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);\n"
     "simdgroup_store(m, t[simdgroup], 8);\nsimdgroup_load(m, t[simdgroup], 8);\nout[i] = i;"},
    {"CounterNobodySet", FaultKind::uninitialised_read, 2,
     "threadgroup atomic_uint n;\nout[i] = atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);"},
    {"AtomicsOfAllAfterTheStoreOfOne", FaultKind::race, 2,
     "threadgroup uint n; threadgroup atomic_uint* all = (threadgroup atomic_uint*)&n;\nif (i == 0) n = 0;\n"
     "out[i] = atomic_fetch_add_explicit(all, 1, memory_order_relaxed);"},
    {"AtomicsOfAllAfterTheLoadOfOne", FaultKind::race, 4,
     "device atomic_uint* all = (device atomic_uint*)in;\nif (i == 0) out[0] = in[0];\n"
     "if (i > 0) out[i] = 0;\natomic_fetch_add_explicit(all, 1, memory_order_relaxed);"},
    {"StoreAfterAtomicsOfAll", FaultKind::race, 2,
     "atomic_fetch_add_explicit((device atomic_uint*)in, 1, memory_order_relaxed); out[i] = i;\n"
     "if (i == 5) in[0] = 1;"},
    {"LoadAfterTheAtomicStoreOfAnother", FaultKind::race, 2,
     "if (i == 3) atomic_store_explicit((device atomic_uint*)in + 9, 1, memory_order_relaxed);\n"
     "out[i] = i == 4 ? in[9] : i;"},
    {"StoreAfterTheAtomicLoadOfAnother", FaultKind::race, 2,
     "out[i] = i == 3 ? atomic_load_explicit((device atomic_uint*)in + 9, memory_order_relaxed) : i;\n"
     "if (i == 4) in[9] = 7;"},
    {"AtomicAfterTheAtomicAndTheStoreOfAnother", FaultKind::race, 2,
     "if (i == 3) { atomic_store_explicit((device atomic_uint*)in, 1, memory_order_relaxed); in[0] = 2; }\n"
     "if (i == 40) atomic_fetch_add_explicit((device atomic_uint*)in, 1, memory_order_relaxed); out[i] = i;"},
};
INSTANTIATE_TEST_SUITE_P(Checker, EachFault, testing::ValuesIn(kFaults),
                         [](const auto& info) { return info.param.name; });

struct Right {
  const char* name;
  const char* body;
};
void PrintTo(const Right& right, std::ostream* out) { *out << right.name; }

class RightBody : public testing::TestWithParam<Right> {};

TEST_P(RightBody, IsNotSuspected) {
  const auto ran = checked(GetParam().body);
  EXPECT_TRUE(ran.report.clean()) << ran.text();
}

constexpr Right kRight[] = {
    // GPUs load a vector from any address that suits its elements.
    {"VectorsAtTheirElements",
     "device half* h = (device half*)in + 1; device uchar* b = (device uchar*)in + 3;\n"
     "half4 v = *(device half4*)h; v += (*(device vec<half, 4>*)(h + 2)).yxwz; v.xyz += *(device half3*)(h + "
     "4);\n"
     "uchar4 c = *(device uchar4*)b; c.x += ((device uchar2*)b)->y; c.yz += *(device packed_uchar2*)(b + "
     "2);\n"
     "out[i] = v.x + v.w + c.x + c.y + ((device float4*)(in + 1))->w + (*(device float2x2*)(in + 3))[1][0];"},
    {"StructOfVectors",
     "struct Pair { half4 a; half2 b; };\ndevice Pair* pair = (device Pair*)((device half*)in + 2);\n"
     "out[i] = pair->a.x + pair->b.y;"},
    {"BarrierBetween",
     "threadgroup uint t[64]; for (uint r = 0; r < 3; ++r) { t[i] = i + r; "
     "threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = t[63 - i]; "
     "threadgroup_barrier(mem_flags::mem_threadgroup); }"},
    {"SimdgroupBarrierBetweenLanes",
     "threadgroup uint t[64]; t[i] = i; simdgroup_barrier(mem_flags::mem_threadgroup); out[i] = t[i ^ 1];"},
    {"OwnElementOnly", "threadgroup uint t[64]; t[i] = i; t[i] += in[i]; out[i] = t[i];"},
    {"ManyReadersThenBarrierThenWriter",
     "threadgroup uint t[1]; if (i == 0) t[0] = 5; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = "
     "t[0]; "
     "threadgroup_barrier(mem_flags::mem_threadgroup); if (i == 63) t[0] = 6;"},
    {"NeighbouringBytes",
     "threadgroup uchar t[64]; t[i] = uchar(i); threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = "
     "t[63 - i];"},
    {"AtomicsOnOneWord",
     "threadgroup atomic_uint n; if (i == 0) atomic_store_explicit(&n, 0, memory_order_relaxed); "
     "threadgroup_barrier(mem_flags::mem_threadgroup); atomic_fetch_add_explicit(&n, 1, "
     "memory_order_relaxed); "
     "threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = atomic_load_explicit(&n, "
     "memory_order_relaxed);"},
    {"AtomicsAfterTheirOwnLanesStoreAndLoad",
     "threadgroup uint t[64]; t[i] = i; atomic_fetch_add_explicit((threadgroup atomic_uint*)(t + i), 1, "
     "memory_order_relaxed); uint old = in[i]; device atomic_uint* mine = (device atomic_uint*)(in + i); "
     "while (!atomic_compare_exchange_weak_explicit(mine, &old, old + 1, memory_order_relaxed, "
     "memory_order_relaxed)) {} out[i] = old;"},
    {"StoreAndLoadAfterAtomicsOfTheirOwnLane",
     "device atomic_uint* mine = (device atomic_uint*)(in + i); atomic_store_explicit(mine, 3, "
     "memory_order_relaxed); "
     "uint v = in[i]; v += atomic_load_explicit(mine, memory_order_relaxed); in[i] = v; "
     "atomic_fetch_add_explicit(mine, 1, memory_order_relaxed); in[i] += 1; out[i] = in[i];"},
    {"StoreOfOneAfterAtomicsOfAllAndABarrier",
     "threadgroup atomic_uint n; if (i == 7) atomic_store_explicit(&n, 0, memory_order_relaxed); "
     "threadgroup_barrier(mem_flags::mem_threadgroup); atomic_fetch_add_explicit(&n, 1, "
     "memory_order_relaxed); "
     "threadgroup_barrier(mem_flags::mem_threadgroup); if (i == 7) { atomic_fetch_add_explicit(&n, 1, "
     "memory_order_relaxed); *(threadgroup uint*)&n = 5; } out[i] = i;"},
    {"DeviceMemoryWithItsBarrier",
     "out[i] = i; threadgroup_barrier(mem_flags::mem_device); uint v = out[63 - i]; "
     "threadgroup_barrier(mem_flags::mem_device); out[i] = v;"},
    {"MatrixBetweenBarriers",
     "threadgroup float t[2][64]; simdgroup_float8x8 m; t[simdgroup][lane] = 1; t[simdgroup][lane + 32] = 2; "
     "simdgroup_barrier(mem_flags::mem_threadgroup); simdgroup_load(m, t[simdgroup], 8); "
     "simdgroup_barrier(mem_flags::mem_threadgroup); simdgroup_store(m, t[simdgroup], 8); "
     "simdgroup_barrier(mem_flags::mem_threadgroup); out[i] = uint(t[simdgroup][lane]);"},
    {"MatrixWhoseOffsetIsShared",
     "struct Info { uint offset; }; threadgroup Info info; threadgroup uint where[2], one; "
     "threadgroup float t[2][64]; threadgroup float* mine = t[simdgroup]; simdgroup_float8x8 m; "
     "mine[lane] = 1; mine[lane + 32] = 2; "
     "if (i == 0) { info.offset = 0; where[0] = where[1] = 0; one = 8; } "
     "threadgroup_barrier(mem_flags::mem_threadgroup); if (lane == 31) where[simdgroup] = 0; "
     "simdgroup_barrier(mem_flags::mem_threadgroup); simdgroup_load(m, mine + where[simdgroup], one); "
     "simdgroup_barrier(mem_flags::mem_threadgroup); if (lane == 31) where[simdgroup] = 0; "
     "simdgroup_barrier(mem_flags::mem_threadgroup); "
     "simdgroup_store(m, mine + *(where + simdgroup) + info.offset, 8); "
     "simdgroup_barrier(mem_flags::mem_threadgroup); out[i] = uint(mine[lane]);"},
    {"MatrixInPlace",
     "threadgroup float t[2][64]; simdgroup_float8x8 m; t[simdgroup][lane] = 1; t[simdgroup][lane + 32] = 2; "
     "simdgroup_barrier(mem_flags::mem_threadgroup); simdgroup_load(m, t[simdgroup], 8); "
     "simdgroup_multiply(m, m, m); simdgroup_store(m, t[simdgroup], 8); out[i] = i;"},
    {"CollectiveInBranch", "uint v = i; if (lane < 8) v = simd_sum(1u); out[i] = v;"},
};
INSTANTIATE_TEST_SUITE_P(Checker, RightBody, testing::ValuesIn(kRight),
                         [](const auto& info) { return info.param.name; });

TEST(Checker, ThreadgroupsThatWriteOneElementRace) {
  const auto ran = checked("out[i] = group;", {.threadgroups = {2, 1, 1}});
  ASSERT_THAT(ran.kinds(), ElementsAre(FaultKind::race)) << ran.text();
  EXPECT_THAT(ran.report.faults[0].message, HasSubstr("two threadgroups"));
}

// Whose an atomic was is not known, nor which of several simdgroups has read.
TEST(Checker, AnAtomicRacesWithTheReadersOfSeveralSimdgroups) {
  const auto ran = checked(
      "out[i] = in[0];\n"
      "if (i == 63) atomic_fetch_add_explicit((device atomic_uint*)in, 1, memory_order_relaxed);");
  ASSERT_THAT(ran.kinds(), ElementsAre(FaultKind::race)) << ran.text();
  EXPECT_THAT(ran.report.faults[0].message, testing::StartsWith("two threads write and read `in` at byte 0"));
}

TEST(Checker, ThreadgroupsMayReadTheSameAndWriteTheirOwn) {
  const auto ran = checked("out[group * 64 + i] = in[i];", {.threadgroups = {4, 1, 1}, .words = 256});
  EXPECT_TRUE(ran.report.clean()) << ran.text();
}

TEST(Checker, AReaderAfterABarrierStillRacesWithAnotherThreadgroupsRead) {
  // in[] is read by threadgroup 0 and written by threadgroup 1, whose own read and barrier come between.
  const auto ran = checked(
      "out[group * 64 + i] = in[i];\nthreadgroup_barrier(mem_flags::mem_device);\nif (group == 1) in[i] = 0;",
      {.threadgroups = {2, 1, 1}, .words = 128});
  ASSERT_THAT(ran.kinds(), ElementsAre(FaultKind::race)) << ran.text();
  EXPECT_EQ(ran.report.faults[0].place.line, 3u);
}

TEST(Checker, ReportNamesBothAccessesAndTheirLines) {
  const auto ran = checked("threadgroup uint tile[64];\ntile[i] = i;\nout[i] = tile[63 - i];");
  ASSERT_FALSE(ran.report.clean());
  const auto& fault = ran.report.faults.back();
  EXPECT_THAT(fault.message, HasSubstr("tile"));
  ASSERT_EQ(fault.accesses.size(), 2u);
  EXPECT_EQ(fault.accesses[0].place.line + fault.accesses[1].place.line, 5u);  // lines 2 and 3
}

TEST(Checker, RefusesMoreThreadgroupMemoryThanTheDeviceHas) {
  const auto ran = checked("threadgroup uint t[8193]; t[i] = i; out[i] = t[i];");
  EXPECT_THAT(ran.kinds(), ElementsAre(FaultKind::over_budget)) << ran.text();
  EXPECT_THAT(ran.out, testing::Each(0xFFA5FFA5u)) << "it must not have run";
}

// Also of a size that is 0 once it is rounded up.
TEST(Checker, CountsThreadgroupArgumentsIntoTheBudget) {
  for (const std::size_t bytes : {std::size_t{32784}, ~std::size_t{0}}) {
    const auto ran = checked("dynamic[i] = i; out[i] = dynamic[i];", {.threadgroup_bytes = {bytes}},
                             ", threadgroup uint* dynamic [[threadgroup(0)]]");
    EXPECT_THAT(ran.kinds(), ElementsAre(FaultKind::over_budget)) << ran.text();
  }
}

TEST(Checker, RefusesLengthsOfThreadgroupMemoryThatAreNoMultiplesOf16) {
  for (const std::size_t bytes : {1u, 4u, 15u, 17u, 260u}) {
    const std::string next = std::to_string((bytes + 15) / 16 * 16);
    try {
      checked("if (i == 0) out[i] = 0;", {.threadgroup_bytes = {bytes}},
              ", threadgroup uint* dynamic [[threadgroup(0)]]");
      ADD_FAILURE() << bytes;
    } catch (const device::DeviceError& e) {
      EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("threadgroup(0)"), HasSubstr("give it " + next)));
    }
  }
}

TEST(Checker, AMissingThreadgroupBarrierIsNotTakenForASimdgroupBarrier) {
  // Lanes of one simdgroup race too; the barrier that is missing is the wider one.
  const auto ran = checked("threadgroup uint t[64];\nt[i] = i;\nout[i] = t[(i + 1) % 64];");
  for (const auto& fault : ran.report.faults) {
    if (fault.kind != FaultKind::race) continue;
    EXPECT_THAT(fault.message, HasSubstr("no threadgroup_barrier")) << ran.text();
  }
}

// Also where their number has more than 64 bits, and its lower ones are zero.
TEST(Checker, RefusesMoreThreadsThanTheDeviceHas) {
  for (const device::Size3 threads : {device::Size3{1025, 1, 1}, {1U << 22, 1U << 22, 1U << 20}}) {
    const auto ran = checked("out[0] = i;", {.threads = threads});
    EXPECT_THAT(ran.kinds(), ElementsAre(FaultKind::over_budget));
  }
}

TEST(Checker, UnwrittenPrivateArraysHoldGarbageNotZeros) {
  const auto ran = checked("uint t[4]; if (in[i] > 100) t[in[i] % 4] = 1; out[i] = t[i % 4];");
  EXPECT_THAT(ran.out, testing::Not(testing::Contains(0u)));
}

}  // namespace
}  // namespace assay::simulator
