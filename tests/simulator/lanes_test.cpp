// What Metal asks of operands of functions across lanes, and of simdgroups that do matrix functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::ElementsAre;
using testing::HasSubstr;

struct OfLanes {
  const char* name;
  const char* body;  ///< what is at fault stands in line 2
  const char* said = "";
  std::uint32_t threads = 64;
};
void PrintTo(const OfLanes& one, std::ostream* out) { *out << one.name; }
std::string name_of(const testing::TestParamInfo<OfLanes>& info) { return info.param.name; }

Ran checked(const OfLanes& one) {
  return run_body(Mode::checked, one.body, {.threads = {one.threads, 1, 1}, .words = 512});
}

class Undefined : public testing::TestWithParam<OfLanes> {};

TEST_P(Undefined, IsAFaultOfItsOwnKindWithItsLine) {
  const auto ran = checked(GetParam());
  ASSERT_THAT(ran.kinds(), ElementsAre(FaultKind::undefined)) << ran.text();
  EXPECT_EQ(ran.report.faults[0].place.line, 2u);
  EXPECT_THAT(ran.report.faults[0].message, HasSubstr(GetParam().said));
}

constexpr OfLanes kUndefined[] = {
    {"BroadcastFromSeveral", "uint v = in[i];\nout[i] = simd_broadcast(v, ushort(lane / 16));",
     "different operands, 0 in lane 0 and 1 in lane 16"},
    {"BroadcastFromNobody", "uint v = in[i];\nout[i] = simd_broadcast(v, 32);", "lane 32 is asked for"},
    {"BroadcastInAQuad", "uint v = in[i];\nout[i] = quad_broadcast(v, ushort(lane & 2));", "of a quad"},
    {"BroadcastInAQuadFromNobody", "uint v = in[i];\nout[i] = quad_broadcast(v, 4);",
     "the lanes of a quad are 0 to 3"},
    {"ShuffleFromNobody", "float v = in[i];\nout[i] = uint(simd_shuffle(v, ushort(lane + 1)));",
     "lane 32 is asked for"},
    {"ShuffleInAQuadFromNobody", "uint v = in[i];\nout[i] = quad_shuffle(v, ushort(lane & 7));", "0 to 3"},
    {"MaskThatDiffers", "uint v = in[i];\nout[i] = simd_shuffle_xor(v, ushort(lane < 8 ? 1 : 2));",
     "must be the same"},
    {"DistanceThatDiffers", "uint v = in[i];\nout[i] = simd_shuffle_down(v, ushort(lane & 1));",
     "must be the same"},
    {"DistanceUpThatDiffers", "half v = half(in[i]);\nout[i] = uint(simd_shuffle_up(v, ushort(lane % 3)));",
     "must be the same"},
    {"TurnThatDiffers", "uint2 v = in[i];\nout[i] = simd_shuffle_rotate_up(v, ushort(lane)).x;",
     "must be the same"},
    {"FillThatDiffers", "uint v = in[i];\nout[i] = simd_shuffle_and_fill_up(v, 7u, ushort(lane / 31));",
     "must be the same"},
    {"FillOfThree", "uint v = in[i];\nout[i] = simd_shuffle_and_fill_down(v, 7u, 1, 3);", "`modulo` is 3"},
    {"MatrixInHalfASimdgroup",
     "simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);\nif (simdgroup == 1) "
     "simdgroup_store(m, (device float*)out + 64, 8); else simdgroup_store(m, (device float*)out, 8);",
     "has 16 of 32 threads", 48},
    {"FragmentsInHalfASimdgroup",
     "simdgroup_float8x8 m(2.0f); m.thread_elements()[0] += 1;\nsimdgroup_store(m, (device float*)out, 8);",
     "has 8 of 32 threads", 8},
};
INSTANTIATE_TEST_SUITE_P(Lanes, Undefined, testing::ValuesIn(kUndefined), name_of);

class Defined : public testing::TestWithParam<OfLanes> {};

TEST_P(Defined, IsNotSuspected) {
  const auto ran = checked(GetParam());
  EXPECT_TRUE(ran.report.clean()) << ran.text();
}

constexpr OfLanes kDefined[] = {
    {"BroadcastOfEachLaneInTurn",
     "uint v = in[i], sum = 0; for (ushort k = 0; k < 32; ++k) sum += simd_broadcast(v, k); out[i] = sum;"},
    {"BroadcastThatDiffersBetweenQuadsAndSimdgroups",
     "uint v = in[i]; v += quad_broadcast(v, ushort(lane / 4 % 4)); out[i] = simd_broadcast(v, "
     "ushort(simdgroup));"},
    {"ShufflesFromAnyLane",
     "uint v = in[i]; out[i] = simd_shuffle(v, ushort(31 - lane)) + simd_shuffle(v, ushort(lane * 7 % 32)) + "
     "quad_shuffle(v, ushort(lane & 3));"},
    {"EachBranchWithItsOwn",
     "uint v = in[i];\nif (lane < 16) v = simd_broadcast(v, 3);\nelse v = simd_broadcast(v, 20);\nout[i] = "
     "v;"},
    {"ReductionByHalves",
     "uint v = in[i]; for (ushort k = 16; k > 0; k /= 2) v += simd_shuffle_down(v, k); for (ushort k = 1; k "
     "< 32; k *= 2) v += simd_shuffle_xor(v, k); out[i] = v;"},
    {"FillOfEights",
     "uint v = in[i]; out[i] = simd_shuffle_and_fill_up(v, 7u, 2, 8) + quad_shuffle_and_fill_down(v, 1u, "
     "1);"},
    {"ReductionInAShortSimdgroup", "uint v = in[i]; out[i] = simd_sum(v);", "", 40},
    {"MatrixInWholeSimdgroups",
     "threadgroup float t[2][64]; simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f); "
     "simdgroup_store(m, t[simdgroup], 8); simdgroup_barrier(mem_flags::mem_threadgroup); out[i] = "
     "uint(t[simdgroup][lane]);"},
};
INSTANTIATE_TEST_SUITE_P(Lanes, Defined, testing::ValuesIn(kDefined), name_of);

// By a pointer whose declaration does not show what it leads to.
TEST(Lanes, AFloatAtomicInThreadgroupMemoryIsUndefined) {
  const auto ran =
      run_body(Mode::checked,
               "threadgroup uint word; if (i == 0) word = 0;\n"
               "if (i == 0) atomic_fetch_add_explicit((threadgroup metal::atomic<float>*)&word, 1.0f, "
               "memory_order_relaxed);\nout[i] = i;");
  ASSERT_THAT(ran.kinds(), ElementsAre(FaultKind::undefined)) << ran.text();
  EXPECT_EQ(ran.report.faults[0].place.line, 2u);
}

}  // namespace
}  // namespace assay::simulator
