// `assay check`: lanes that take no part, and threadgroups that wait for each other.
#include "tests/end_to_end/check.hpp"

namespace assay::end_to_end {
namespace {

// Half of the simdgroup exchanges values with the other half, which is not there.
std::string half_of_a_simdgroup(const std::string& type, const std::string& value) {
  return "kernel void fold(device const float* x, device " + type +
         "* y, uint g [[threadgroup_position_in_grid]],\n"
         "                 uint lane [[thread_index_in_simdgroup]]) {\n"
         "  if (lane >= 16) return;\n"
         "  const float v = x[g * 16 + lane], other = simd_shuffle_xor(v, 16);\n"
         "  y[g * 16 + lane] = " +
         value + ";\n}\n";
}

const std::vector<std::string> kHalves = {"--threads", "32",     "--grid",   "M",
                                          "--dim",     "M=1:64", "--buffer", "x=float[M,16]"};

TEST_F(Check, TheValueOfALaneThatTakesNoPartIsNamed) {
  for (const auto& [type, value] : std::vector<std::pair<std::string, std::string>>{
           {"float", "other"}, {"float", "v + other"}, {"half", "half(v + 2 * other)"}}) {
    auto told = kHalves;
    told.insert(told.end(), {"--buffer", "y=" + type + "[M,16]:out"});
    EXPECT_EQ(check(half_of_a_simdgroup(type, value), told).exit_code, 1) << value << words_;
    EXPECT_THAT(words_, HasSubstr("elements of y hold the value of a lane that took no part"));
    EXPECT_THAT(words_, HasSubstr("k.metal:6: thread 0 (simdgroup 0, lane 0) of threadgroup (0, 0, 0) was "
                                  "given the value of lane 16, which took no part there"));
    EXPECT_THAT(words_, Not(HasSubstr("were never written")));
  }
  auto told = kHalves;
  told.insert(told.end(), {"--buffer", "y=float[M,16]:out"});
  EXPECT_EQ(check(half_of_a_simdgroup("float", "lane < 16 ? v : other"), told).exit_code, 0) << words_;
}

// Threadgroups begin in any order, so that all of them must be in flight at once.
const std::string kChain =
    "kernel void chain(device const uint* x, device uint* y, device atomic_uint* done, constant uint& n,\n"
    "                  uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {\n"
    "  if (t != 0) return;\n"
    "  y[g] = x[g];\n"
    "  if (g > 0) while (atomic_load_explicit(&done[g - 1], memory_order_relaxed) == 0) {}\n"
    "  atomic_store_explicit(&done[g], 1u, memory_order_relaxed);\n}\n";
std::vector<std::string> chain(const std::string& sizes, const std::vector<std::string>& more = {}) {
  std::vector<std::string> told = {"--threads", "32",
                                   "--grid",    "M",
                                   "--buffer",  "x=uint[M]:0..1000",
                                   "--buffer",  "y=uint[M]:out",
                                   "--buffer",  "done=uint[M]:inout:0",
                                   "--dim",     "M=" + sizes,
                                   "--scalar",  "n=M"};
  told.insert(told.end(), more.begin(), more.end());
  return told;
}

TEST_F(Check, ThreadgroupsThatWaitForEachOtherNeedALeave) {
  EXPECT_EQ(check(kChain, chain("1:4")).exit_code, 1) << words_;
  EXPECT_THAT(words_, HasSubstr("chain: NEEDS RESIDENCY"));
  EXPECT_THAT(words_, ContainsRegex("if the host makes sure that ([2-4]) threadgroups run at once, add "
                                    "--resident-threadgroups [2-4]"));
  const auto kept = (scratch_ / "kept.toml").string();
  EXPECT_EQ(check(kChain, chain("1:60", {"--resident-threadgroups", "60", "--manifest-out", kept})).exit_code,
            0)
      << words_;
  EXPECT_THAT(read(kept), HasSubstr("resident_threadgroups = 60\n"));
}

TEST_F(Check, FewerThreadgroupsInFlightThanNeededAreADeadlock) {
  EXPECT_EQ(check(kChain, chain("60", {"--resident-threadgroups", "4"})).exit_code, 1) << words_;
  EXPECT_THAT(words_, HasSubstr("chain: DEADLOCK"));
  EXPECT_THAT(words_,
              ContainsRegex("a change that none of the [0-9]+ threadgroups in flight makes. [0-9]+ more "
                            "begin only when one of these ends"));
  EXPECT_THAT(words_, HasSubstr("60 threadgroups run at once, add --resident-threadgroups 60"));
  EXPECT_EQ(check(kChain, chain("300", {"--resident-threadgroups", "4"})).exit_code, 1) << words_;
  EXPECT_THAT(words_, HasSubstr("the simulator has room for 64 threadgroups at once; keep the grid smaller"));
}

// Nobody has said how many threadgroups run at once: the question says with which option, and with what.
TEST_F(Check, HowManyThreadgroupsRunAtOnceIsAsked) {
  const std::string judged = "COULD NOT BE JUDGED: a guess may be wrong, not the kernel ";
  EXPECT_EQ(check(kChain).exit_code, 2) << words_;
  std::smatch asked;
  ASSERT_TRUE(std::regex_search(words_, asked, std::regex(judged + "[^.]*--resident-threadgroups ([0-9]+)")))
      << words_;
  EXPECT_EQ(check(kChain, {"--resident-threadgroups", asked[1], "--buffer", "done=:inout:0", "--dim",
                           "n=1:" + asked[1].str(), "--grid", "n"})
                .exit_code,
            0)
      << words_;
}

// The author may be right, so it is no verdict.
TEST_F(Check, MoreThreadgroupsInFlightThanThereIsRoomForAreAnError) {
  EXPECT_EQ(check(kChain, chain("300", {"--resident-threadgroups", "300"})).exit_code, 2) << words_;
  EXPECT_THAT(words_, HasSubstr("the launch counts on 300 threadgroups in flight, and the simulator has room "
                                "for 64; use smaller grids"));
}

}  // namespace
}  // namespace assay::end_to_end
