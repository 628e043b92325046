// What Metal leaves undefined: shifts by the width, conversions to integers of what they do not hold, whole
// numbers divided by zero, signed sums that overflow. Fast and checked code say the same of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

using device::FaultKind;
using testing::HasSubstr;

constexpr std::uint32_t kLine = 6;

/// A thread that computes `body`, in line 6, from z = 0, w = 32, f = 3e9, nan, and least = INT_MIN into y[0].
struct Shape {
  const char *name, *body, *words;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class Undefined : public testing::TestWithParam<Shape> {
 protected:
  static KernelRun kernel(const TemporaryDirectory& directory, const std::string& body) {
    const auto file =
        directory.write("k.metal",
                        "#include <metal_stdlib>\nusing namespace metal;\n"
                        "template <int by> uint shifted(uint x, uint z) { return x << (by + z); }\n"
                        "kernel void k(device const uint* in [[buffer(0)]], device uint* y [[buffer(1)]]) {\n"
                        "  const uint z = in[0], w = in[1]; const float f = as_type<float>(in[2]), nan = "
                        "as_type<float>(in[3]); "
                        "const int least = int(in[4]); y[1] = 5;\n  " +
                            body + "\n}\n");
    KernelRun run(file, "k");
    run.buffer(0, std::vector<std::uint32_t>{0, 32, 0x4F32D05E, 0x7FC00000, 0x80000000});
    run.buffer(1, std::vector<std::uint32_t>(8)).grid({1, 1, 1}, {1, 1, 1});
    return run;
  }
};

const Shape kFaults[] = {
    {"left", "y[0] = 1u << w;", "a shift by 32 of `uint`"},
    {"right", "y[0] = 7u >> (w + 1);", "a shift by 33 of `uint`"},
    {"negative", "y[0] = 1u << (int(z) - 1);", "a shift by -1 of `uint`"},
    {"signed_number", "y[0] = uint(least >> w);", "a shift by 32 of `int`"},
    {"of_64_bits", "y[0] = uint(1ul << (2 * w));", "a shift by 64 of `ulong`"},
    {"assigned", "uint s = 3; s <<= w; y[0] = s;", "a shift by 32"},
    {"constant", "y[0] = (z + 1) << 32;", "a shift by 32"},
    {"of_a_template", "y[0] = shifted<40>(1, z);", "a shift by 40"},
    {"in_a_loop", "for (uint i = 0; i < 2; ++i) y[i] = 3u << (i * w);", "a shift by 32"},
    {"vector", "const uint4 v = uint4(1, 2, 3, 4) << uint4(z, z, w, z); y[0] = v.x + v.z;",
     "a shift by 32 of numbers of 32 bits"},
    {"vector_of_shorts", "const ushort2 v = ushort2(1, 2) >> ushort2(z, 16); y[0] = v.x;",
     "a shift by 16 of numbers of 16 bits"},
    {"nan_to_int", "y[0] = uint(int(nan));", "a conversion of NaN to `int`"},
    {"nan_to_uint", "y[0] = uint(nan);", "a conversion of NaN to `uint`"},
    {"negative_to_uint", "y[0] = uint(-f);", "a conversion of -3e+09 to `uint`"},
    {"large_to_int", "y[0] = uint(int(f));", "a conversion of 3e+09 to `int`"},
    {"large_to_uchar", "y[0] = uchar(300.0f + z);", "a conversion of 300 to `uchar`"},
    {"large_to_short", "y[0] = uint(short(f));", "a conversion of 3e+09 to `short`"},
    {"implicit", "const int i = f; y[0] = uint(i);", "a conversion of 3e+09 to `int`"},
    {"half_nan", "y[0] = uint(int(half(nan)));", "a conversion of NaN to `int`"},
    {"half_to_uchar", "y[0] = uchar(half(256.0f + z));", "a conversion of 256 to `uchar`"},
    {"bfloat_to_uint", "y[0] = uint(bfloat(-f));", "a conversion of -3"},
    {"vector_of_floats", "const int2 v = int2(float2(1, f)); y[0] = uint(v.y);",
     "a conversion of 3e+09 to `int`"},
};
INSTANTIATE_TEST_SUITE_P(Faults, Undefined, testing::ValuesIn(kFaults),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(Undefined, IsAFaultOfItsOwnKindInBothModes) {
  const TemporaryDirectory directory;
  const auto run = kernel(directory, GetParam().body);
  const auto checked = run.run(simulator::Mode::checked).report;
  ASSERT_EQ(checked.faults.size(), 1u);
  EXPECT_EQ(checked.faults[0].kind, FaultKind::undefined);
  EXPECT_THAT(checked.faults[0].message, HasSubstr(GetParam().words));
  EXPECT_TRUE(checked.faults[0].place.line == kLine || GetParam().name == std::string("of_a_template"));
  const auto fast = run.run(simulator::Mode::fast).report;
  ASSERT_EQ(fast.faults.size(), 1u);
  EXPECT_EQ(fast.faults[0].kind, FaultKind::undefined);
}

class Defined : public Undefined {};
const Shape kDefined[] = {
    {"shift_by_all_but_one", "y[0] = 1u << (w - 1); y[2] = 1u >> z;", ""},
    {"signed_shift_into_the_sign", "y[0] = uint(1 << (w - 1));", ""},
    {"ushort_is_promoted", "const ushort s = 1; y[0] = uint(s << (w - 8));", ""},
    {"a_shift_that_is_not_made", "y[0] = z != 0 ? 1u << w : 7u;", ""},
    {"largest", "y[0] = uint(4294967040.0f + z); y[2] = uint(int(-2147483648.0f - z));", ""},
    {"fraction_below_zero", "y[0] = uint(-0.75f - z); y[2] = uchar(255.5f + z);", ""},
    {"nan_to_bool", "y[0] = bool(nan);", ""},
    {"unsigned_sums_wrap", "y[0] = 0xFFFFFFFFu + w; y[2] = z - 1;", ""},
    {"rotate", "y[0] = rotate(3u, w);", ""},
    {"extract_all", "y[0] = extract_bits(in[2], z, w) + insert_bits(z, w, z, w);", ""},
};
INSTANTIATE_TEST_SUITE_P(Values, Defined, testing::ValuesIn(kDefined),
                         [](const auto& one) { return std::string(one.param.name); });
TEST_P(Defined, IsNoFault) {
  const TemporaryDirectory directory;
  const auto run = kernel(directory, GetParam().body);
  for (const auto mode : {simulator::Mode::fast, simulator::Mode::checked}) {
    const auto report = run.run(mode).report;
    EXPECT_TRUE(report.faults.empty()) << report.faults[0].message;
    EXPECT_TRUE(report.undefined.empty()) << report.undefined[0].message;
  }
}

/// Results that are undefined, and a value all the same: one for all launches and both modes. Checked mode
/// shows that what is stored depends on it.
class HasAValue : public Undefined {};
const Shape kValues[] = {
    {"by_zero", "y[0] = w / z;", "divided by zero"},
    {"rest_by_zero", "y[0] = w % z;", "divided by zero"},
    {"signed_by_zero", "y[0] = uint(int(w) / int(z));", "divided by zero"},
    {"long_by_zero", "y[0] = uint(ulong(in[2]) << 20) / uint(ulong(z));", "divided by zero"},
    {"least_by_minus_one", "y[0] = uint(least / (int(z) - 1));", "the least of its type by -1"},
    {"rest_of_least_by_minus_one", "y[0] = uint(least % (int(z) - 1));", "the least of its type by -1"},
    {"vector_by_zero", "const uint2 v = uint2(w, w) / uint2(w, z); y[0] = v.y;", "divided by zero"},
};
INSTANTIATE_TEST_SUITE_P(Divisions, HasAValue, testing::ValuesIn(kValues),
                         [](const auto& one) { return std::string(one.param.name); });
TEST_P(HasAValue, ThatIsAlwaysTheSameAndEndsNothing) {
  const TemporaryDirectory directory;
  const auto run = kernel(directory, GetParam().body);
  const auto fast = run.run(simulator::Mode::fast), checked = run.run(simulator::Mode::checked);
  EXPECT_TRUE(fast.report.clean());
  ASSERT_EQ(fast.report.undefined.size(), 1u);
  EXPECT_THAT(fast.report.undefined[0].message, HasSubstr(GetParam().words));
  ASSERT_EQ(checked.report.faults.size(), 1u);
  EXPECT_EQ(checked.report.faults[0].kind, FaultKind::undefined);
  EXPECT_THAT(checked.report.faults[0].message, HasSubstr(GetParam().words));
  EXPECT_EQ(checked.report.faults[0].place.line, kLine);
  EXPECT_EQ(fast.values<std::uint32_t>(1), checked.values<std::uint32_t>(1));
  EXPECT_EQ(fast.values<std::uint32_t>(1), run.run(simulator::Mode::fast).values<std::uint32_t>(1));
  EXPECT_EQ(fast.values<std::uint32_t>(1)[1], 5u) << "the thread went on";
}

/// Signed overflow: both modes wrap around, and checked mode shows where the result matters.
class Overflow : public Undefined {};
const Shape kOverflows[] = {
    {"sum", "const int below = least - 1; y[0] = uint(below + int(z));", ""},
    {"product", "y[0] = uint(least * int(w));", ""},
    {"negative", "y[0] = uint(-least);", ""},
    {"abs", "y[0] = uint(abs(least));", ""},
    {"sum_of_longs", "const long d = (long(least) << 32) - long(w); y[0] = uint(d);", ""},
    {"vector", "y[0] = uint((int2(least, 1) + int2(least, 1)).x);", ""},
};
INSTANTIATE_TEST_SUITE_P(Sums, Overflow, testing::ValuesIn(kOverflows),
                         [](const auto& one) { return std::string(one.param.name); });
TEST_P(Overflow, WrapsAroundAndIsAFaultWhereItMatters) {
  const TemporaryDirectory directory;
  const auto run = kernel(directory, GetParam().body);
  const auto fast = run.run(simulator::Mode::fast), checked = run.run(simulator::Mode::checked);
  EXPECT_TRUE(fast.report.clean());
  ASSERT_EQ(checked.report.faults.size(), 1u);
  EXPECT_THAT(checked.report.faults[0].message, HasSubstr("beyond what its type holds"));
  EXPECT_EQ(checked.report.faults[0].place.line, kLine);
  EXPECT_EQ(fast.values<std::uint32_t>(1), checked.values<std::uint32_t>(1));
}

/// What a launch leaves in memory comes of one run, and nothing is said where it depends on nothing
/// undefined.
const Shape kUnused[] = {
    {"stored_over", "const int a = least - 1; y[0] += uint(a); y[0] = 0; y[2] += 3;", ""},
    {"divided", "const uint a = w / z; y[2] += a == a ? 3 : 4;", ""},
};
class Unused : public Undefined {};
INSTANTIATE_TEST_SUITE_P(Results, Unused, testing::ValuesIn(kUnused),
                         [](const auto& one) { return std::string(one.param.name); });
TEST_P(Unused, IsNoFaultAndTheLaunchHappensOnce) {
  const TemporaryDirectory directory;
  const auto run = kernel(directory, GetParam().body);
  const auto fast = run.run(simulator::Mode::fast), checked = run.run(simulator::Mode::checked);
  EXPECT_TRUE(checked.report.clean());
  EXPECT_TRUE(checked.report.undefined.empty());
  EXPECT_EQ(checked.values<std::uint32_t>(1)[2], 3u);
  EXPECT_EQ(fast.values<std::uint32_t>(1), checked.values<std::uint32_t>(1));
}

/// Where the author accepts it: NaN is 0, and what is beyond a type's numbers the nearest of them.
TEST_F(Undefined, ConversionsSaturateWhereThatIsAccepted) {
  const TemporaryDirectory directory;
  auto run = kernel(directory,
                    "y[0] = uint(nan); y[1] = uint(-f); y[2] = uint(int(f)); y[3] = (uchar)(300.0f + z); "
                    "y[4] = static_cast<uint>((int)-f + 1); y[5] = uint(short(half(nan))); "
                    "y[6] = uint(int2(float2(-f, f)).x); y[7] = uint(char(-f)) + uint(1.5f + z);");
  run.source().saturating_conversions = true;
  for (const auto mode : {simulator::Mode::fast, simulator::Mode::checked}) {
    const auto finished = run.run(mode);
    EXPECT_TRUE(finished.report.clean());
    EXPECT_THAT(finished.values<std::uint32_t>(1),
                testing::ElementsAre(0, 0, 0x7FFFFFFF, 255, 0x80000001, 0, 0x80000000, 0xFFFFFF81));
  }
}
// Whatever their types are called.
TEST_F(Undefined, ConversionsToTypesWithOtherNamesSaturateToo) {
  const TemporaryDirectory directory;
  auto run = kernel(directory,
                    "typedef short Small; using Byte = uchar; y[0] = uint(Small(-f)); "
                    "y[1] = static_cast<Byte>(300.0f + z);");
  run.source().saturating_conversions = true;
  const auto finished = run.run(simulator::Mode::checked);
  EXPECT_TRUE(finished.report.clean());
  const auto y = finished.values<std::uint32_t>(1);
  EXPECT_EQ(y[0], 0xFFFF8000U);
  EXPECT_EQ(y[1], 255U);
}
TEST_F(Undefined, ConversionsThatAreNotWrittenOutStayFaults) {
  const TemporaryDirectory directory;
  auto run = kernel(directory, "const int i = f; y[0] = uint(i);");
  run.source().saturating_conversions = true;
  EXPECT_FALSE(run.run(simulator::Mode::checked).report.clean());
}

}  // namespace
}  // namespace assay::metal
