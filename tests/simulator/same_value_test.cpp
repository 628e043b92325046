// Two writes that nothing orders are a race even if they store the same value, and the report says so.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::HasSubstr;

struct Writes {
  const char* name;
  const char* body;
  const char* words;  ///< of the message; "" where the values differ
  std::uint32_t threadgroups = 1;
};
void PrintTo(const Writes& writes, std::ostream* out) { *out << writes.name; }

class SameValue : public testing::TestWithParam<Writes> {};

TEST_P(SameValue, IsSaidOfARaceOfTwoWrites) {
  const auto& [name, body, words, threadgroups] = GetParam();
  const auto ran = run_body(Mode::checked, body, {.threadgroups = {threadgroups, 1, 1}, .words = 256});
  const device::Fault* race = nullptr;
  for (const auto& fault : ran.report.faults) {
    if (fault.kind == FaultKind::race && race == nullptr) race = &fault;
  }
  ASSERT_NE(race, nullptr) << ran.text();
  EXPECT_EQ(race->same_value, *words != '\0') << ran.text();
  EXPECT_THAT(race->message, HasSubstr(words));
  EXPECT_EQ(race->message.find("both write") == std::string::npos, *words == '\0') << race->message;
}

constexpr Writes kWrites[] = {
    {"Zeros", "threadgroup uint t[1]; out[i] = i;\nt[0] = 0;", "both write 0"},
    {"Constants", "threadgroup uint t[1]; out[i] = i;\nt[0] = 7;", "both write the same value"},
    {"ResultsOfASum", "threadgroup uint t[2]; out[i] = i; uint s = simd_sum(i);\nt[i / 32] = s;",
     "both write the same value"},
    {"Bytes", "threadgroup uchar t[3]; out[i] = i;\nt[1] = 9;", "both write the same value"},
    {"OtherValues", "threadgroup uint t[1]; out[i] = i;\nt[0] = i;", ""},
    {"OtherUpperHalves", "threadgroup uint t[1]; out[i] = i;\nt[0] = i << 16;", ""},
    {"OtherValuesOfTheLastThread", "threadgroup uint t[1]; out[i] = i;\nt[0] = i == 63;", ""},
    {"OtherValuesOfTheOtherSimdgroup", "threadgroup uint t[1]; out[i] = i;\nt[0] = simdgroup;", ""},
    // The next threadgroup begins with other garbage in the same memory.
    {"InEachThreadgroup", "threadgroup uint t[1]; out[group * 64 + i] = i;\nt[0] = 7;",
     "both write the same value", 3},
    {"OfThreadgroups", "out[group * 64 + i] = i;\nif (i == 0) in[0] = 5;", "both write the same value", 3},
    {"OtherValuesOfThreadgroups", "out[group * 64 + i] = i;\nif (i == 0) in[0] = group;", "", 3},
    {"Matrices",
     "simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(2.0f);\n"
     "simdgroup_store(m, (device float*)out, 8);",
     "both write the same value"},
    {"OtherMatrices",
     "simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(float(simdgroup));\n"
     "simdgroup_store(m, (device float*)out, 8);",
     ""},
    {"AReadOfWhatWasThereBefore",
     "threadgroup uint t[1]; uint old = 0; if (i == 0) t[0] = 3; "
     "threadgroup_barrier(mem_flags::mem_threadgroup); if (i == 0) old = t[0];\n"
     "t[0] = 5; out[i] = old;",
     ""},
    {"ARead", "threadgroup uint t[64];\nt[i] = 7;\nout[i] = t[63 - i];", ""},
};
INSTANTIATE_TEST_SUITE_P(Writes, SameValue, testing::ValuesIn(kWrites),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay::simulator
