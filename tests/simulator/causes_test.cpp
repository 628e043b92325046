// Faults that bring about others: the cause comes first, whatever its kind.
#include <gmock/gmock.h>

#include <algorithm>

#include "harness/verify/judge.hpp"
#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::ContainsRegex;

struct Chain {
  const char* name;
  std::vector<FaultKind> kinds;  ///< the first of the report's, in its order; several of one kind count once
  std::uint32_t line;            ///< of the cause
  const char* body;
};
void PrintTo(const Chain& chain, std::ostream* out) { *out << chain.name; }

class EachChain : public testing::TestWithParam<Chain> {};

TEST_P(EachChain, BeginsWithItsCause) {
  const auto ran = run_body(Mode::checked, GetParam().body);
  const auto faults = assay::by_cause(ran.report);
  std::vector<FaultKind> kinds;
  for (const auto& fault : faults) {
    if (kinds.empty() || kinds.back() != fault.kind) kinds.push_back(fault.kind);
  }
  kinds.resize(std::min(kinds.size(), GetParam().kinds.size()));
  EXPECT_EQ(kinds, GetParam().kinds) << ran.text();
  ASSERT_FALSE(faults.empty());
  bool at_line = false;
  for (const auto& access : faults.front().accesses) at_line |= access.place.line == GetParam().line;
  EXPECT_TRUE(at_line) << ran.text();
}

const Chain kChains[] = {
    {"AnIndexThatIsReadTooEarly",
     {FaultKind::race, FaultKind::uninitialised_read, FaultKind::out_of_bounds},
     3,
     "threadgroup uint at[64];\nat[63 - i] = 63 - i;\nout[i] = in[at[i]];"},
    {"AnIndexThatIsOverwrittenTooEarly",
     {FaultKind::race, FaultKind::out_of_bounds},
     6,
     "threadgroup uint at[64];\nat[i] = i;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\n"
     "if (i < 32) out[i] = in[at[63 - i]];\n"
     "// no barrier\nif (i < 32) at[i + 32] = 1000;\nelse out[i] = in[at[i]];"},
    {"AnIndexBehindABarrierOfOtherMemory",
     {FaultKind::race, FaultKind::uninitialised_read, FaultKind::out_of_bounds},
     2,
     "threadgroup uint at[64]; uint mine = 63 - i;\nif (i < 32) out[i] = in[at[mine]];\n"
     "threadgroup_barrier(mem_flags::mem_device);\nif (i >= 32) at[i] = i, out[i] = i;"},
    {"AnIndexThatNobodyHasWritten",
     {FaultKind::uninitialised_read, FaultKind::out_of_bounds},
     4,
     "threadgroup uint at[64];\nif (i < 32) at[i] = i;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\n"
     "out[i] = in[at[i]];"},
    {"AGoalThatIsReadTooEarly",
     {FaultKind::race, FaultKind::uninitialised_read, FaultKind::deadlock},
     5,
     "threadgroup atomic_uint done; threadgroup uint goal;\n"
     "if (i == 0) atomic_store_explicit(&done, 0, memory_order_relaxed);\n"
     "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
     "if (i == 0) {\nuint wanted = goal;\n"
     "while (atomic_load_explicit(&done, memory_order_relaxed) != wanted);\n}\n"
     "if (i == 63) { goal = 1; atomic_store_explicit(&done, 1, memory_order_relaxed); }\nout[i] = i;"},
    {"ABarrierThatHalfTheThreadsSkip",
     {FaultKind::divergent_barrier, FaultKind::race},
     3,
     "threadgroup uint t[64];\nt[i] = i;\nif (i < 32) threadgroup_barrier(mem_flags::mem_threadgroup);\n"
     "out[i] = t[63 - i];"},
    {"AFlagThatEndsALoopIsOverwrittenTooEarly",
     {FaultKind::race, FaultKind::divergent_barrier},
     3,
     "threadgroup uint more;\nfor (uint k = 0;; ++k) {\nif (i == 0) more = k < 3;\n"
     "threadgroup_barrier(mem_flags::mem_threadgroup);\nif (more == 0) break;\n}\nout[i] = i;"},
    // A barrier that names no memory is passed all the same: what comes behind it comes later.
    {"ARaceBeforeABarrierOfNoMemoryBringsThreadsApart",
     {FaultKind::race, FaultKind::divergent_barrier},
     3,
     "threadgroup uint more;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nmore = i;\n"
     "threadgroup_barrier(mem_flags::mem_none);\n"
     "if (more != i) threadgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = i;"},
    {"AnAddressBetweenElements",
     {FaultKind::misaligned, FaultKind::race},
     2,
     "device uchar* bytes = (device uchar*)out;\n"
     "if (i < 32) *(device uint*)(bytes + 4 * i + 2) = i;\nelse if (i == 32) out[3] = 1;"},
};
INSTANTIATE_TEST_SUITE_P(Causes, EachChain, testing::ValuesIn(kChains),
                         [](const auto& info) { return info.param.name; });

// The likelier slip is named: not that no barrier is there, but what it names.
TEST(Causes, ABarrierThatNamesOtherMemoryIsNamed) {
  const auto ran = run_body(Mode::checked,
                            "threadgroup uint t[64];\nt[i] = i;\n"
                            "threadgroup_barrier(mem_flags::mem_device);\nout[i] = t[63 - i];");
  ASSERT_FALSE(ran.report.faults.empty());
  EXPECT_THAT(ran.report.faults[0].message,
              ContainsRegex("the threadgroup_barrier between the two accesses, at [^ ]*\\.metal:3, does not "
                            "name mem_threadgroup"));
}

}  // namespace
}  // namespace assay::simulator
