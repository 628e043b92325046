// Conformance: texts as public projects spell them.
#include "harness/metal/compile/errors.hpp"
#include "tests/metal/conformance.hpp"

namespace assay::metal {
namespace {

class ConformanceOfSpelling : public BothModes {};
ASSAY_BOTH_MODES(ConformanceOfSpelling);

float wide(std::uint16_t bits) {
  const std::uint32_t all = std::uint32_t{bits} << 16;
  float value = 0;
  std::memcpy(&value, &all, sizeof value);
  return value;
}

TEST_P(ConformanceOfSpelling, FunctionsOfApplesCompiler) {
  std::vector<std::uint16_t> in(32);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(0x3D00 + 37 * i);
  auto kernel = conformance_kernel("compiler_functions", "compare");
  kernel.buffer(0, in).buffer(1, std::vector<int>(32, -1)).buffer(2, std::vector<std::uint16_t>(171));
  const auto finished = run_clean(kernel.grid({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(finished.values<int>(1), std::vector<int>(32, 0));
  const auto values = finished.values<std::uint16_t>(2);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(wide(values[i]), 496) << i;
    EXPECT_EQ(values[32 + i], in[3]) << i;
    EXPECT_EQ(wide(values[64 + i]), i < 30 ? float(i + 2) : 100) << i;
    const std::size_t of_four = i / 4 * 4;
    const float first = float(of_four), n = float(i % 4);
    EXPECT_EQ(wide(values[96 + i]), first * (n + 1) + n * (n + 1) / 2) << i;
    EXPECT_EQ(wide(values[128 + i]), float(i ^ 1) + first + 3 + 31) << i;
  }
  std::vector<float> rest;
  for (std::size_t k = 160; k < values.size(); ++k) rest.push_back(wide(values[k]));
  EXPECT_EQ(rest, (std::vector<float>{0.75f, 3, 0.75f, 2, 0, 1, 48, 5, 1, 1, 2}));
}

TEST_P(ConformanceOfSpelling, InitialisersByIndex) {
  for (const int n : {3, 8}) {
    auto kernel = conformance_kernel("designators", "fill_" + std::to_string(n));
    kernel.buffer(0, std::vector<float>(10)).value(1, 2).grid({1, 1, 1}, {1, 1, 1});
    const float sum = float(n) * (0.5f + 2 + 20 + 0.25f);
    EXPECT_EQ(run_clean(kernel).values<float>(0),
              (std::vector<float>{sum, 6, 16, 12, 9, 4, 8, 409, 172, 507}));
  }
}

TEST_P(ConformanceOfSpelling, VectorsOfEightAndSixteen) {
  std::vector<Half> in(16), box(16);
  for (std::size_t k = 0; k < 16; ++k) in[k] = static_cast<Half>(k), box[k] = static_cast<Half>(2 * k);
  auto kernel = conformance_kernel("wide_vectors", "thread_beads");
  kernel.buffer(0, in).buffer(1, std::vector<Half>(16)).buffer(2, std::vector<float>(11)).buffer(3, box);
  const auto finished = run_clean(kernel.grid({1, 1, 1}, {2, 1, 1}));
  const auto out = finished.values<Half>(1);
  for (std::size_t k = 0; k < 16; ++k) {
    const float x = float(k), z = x * float(k % 8) - 1 + x;
    EXPECT_EQ(float(out[k]), k % 8 == 3 ? -40 : k % 8 == 7 ? z : -z) << k;
  }
  EXPECT_EQ(finished.values<float>(2), (std::vector<float>{28, 47, 14, 8, 1664, 28, 1, 70, 0, 16, 1}));
}

TEST_P(ConformanceOfSpelling, ParametersSpeltOtherwise) {
  auto kernel = conformance_kernel("more_parameters", "plan");
  struct Trip {
    int days;
    float price;
  };
  kernel.buffer(0, std::vector<float>{1, 2, 3, 4}).buffer(1, std::vector<std::int64_t>{5, 6, 7, 8});
  kernel.buffer(3, std::vector<int>{10, 20, 30, 40}).buffer(2, std::vector<float>(4));
  kernel.buffer(4, std::vector<Trip>{{1, 0.5f}, {2, 0.5f}, {3, 0.5f}, {4, 0.5f}});
  kernel.buffer(5, std::vector<int>(4)).buffer(7, std::vector<std::uint16_t>{2, 4, 6, 8});
  kernel.threadgroup_bytes({32}).grid({1, 1, 1}, {4, 1, 1});
  const auto finished = run_clean(kernel);
  EXPECT_EQ(finished.values<float>(2),
            (std::vector<float>{32 + 10 + 1, 21 + 20 + 2 + 1, 12 + 30 + 3 + 2, 5 + 40 + 4 + 3}));
  EXPECT_EQ(finished.values<int>(5), (std::vector<int>{1, 2, 3, 4}));
  for (const auto& [name, value] : {std::pair{"attribute_of_clang", 1}, std::pair{"behind_the_name", 2}}) {
    auto other = conformance_kernel("more_parameters", name);
    other.buffer(0, std::vector<int>(1)).grid({1, 1, 1}, {1, 1, 1});
    EXPECT_EQ(run_clean(other).values<int>(0)[0], value) << name;
  }
}

class ConformanceOfInstantiations : public BothModes {};
ASSAY_CHECKED_MODE(ConformanceOfInstantiations);

TEST_P(ConformanceOfInstantiations, MacrosWithinMacros) {
  const std::vector<float> a = {3, 5}, b = {4, 6};
  for (const auto& [name, expected] : std::map<std::string, std::vector<float>>{
           {"apply_Plus_float", {7, 11}}, {"apply_Times_float", {12, 30}}, {"apply_defaults_2", {7, 11}}}) {
    auto kernel = conformance_kernel("nested_macros", name);
    kernel.buffer(0, a).buffer(1, b).buffer(2, std::vector<float>(2)).grid({1, 1, 1}, {2, 1, 1});
    EXPECT_EQ(run_clean(kernel).values<float>(2), expected) << name;
  }
  auto small = conformance_kernel("nested_macros", "apply_small_Times_uchar");
  small.buffer(0, std::vector<std::uint8_t>{3, 5}).buffer(1, std::vector<std::uint8_t>{4, 6});
  small.buffer(2, std::vector<std::uint8_t>(2)).grid({1, 1, 1}, {2, 1, 1});
  EXPECT_EQ(run_clean(small).values<std::uint8_t>(2), (std::vector<std::uint8_t>{12, 30}));
  auto cents = conformance_kernel("nested_macros", "apply_cents");
  cents.buffer(0, std::vector<int>{3, 5}).buffer(1, std::vector<int>{4, 6}).buffer(2, std::vector<int>(2));
  EXPECT_EQ(run_clean(cents.grid({1, 1, 1}, {2, 1, 1})).values<int>(2), (std::vector<int>{12, 30}));
}

TEST_P(ConformanceOfInstantiations, ListsThatAreShort) {
  auto kernel = conformance_kernel("nested_macros", "short_lists");
  kernel.buffer(0, std::vector<float>(3)).grid({1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(0), (std::vector<float>{31, 54, 76}));
}

TEST_P(ConformanceOfInstantiations, TemplatesOfOneName) {
  auto one = conformance_kernel("nested_macros", "mark_one");
  one.buffer(0, std::vector<float>(2)).grid({1, 1, 1}, {2, 1, 1});
  EXPECT_EQ(run_clean(one).values<float>(0), (std::vector<float>{1, 1}));
  auto other = conformance_kernel("nested_macros", "mark_other");
  other.buffer(0, std::vector<float>{3, 5}).buffer(1, std::vector<float>(2)).grid({1, 1, 1}, {2, 1, 1});
  EXPECT_EQ(run_clean(other).values<float>(1), (std::vector<float>{12, 20}));
  auto greet = conformance_kernel("nested_macros", "greet_half");
  greet.buffer(0, std::vector<Half>(1)).grid({1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(float(run_clean(greet).values<Half>(0)[0]), 3);
}

// Both take one type; the tanks have 1, the pump's flow of 3 doubles.
TEST_P(ConformanceOfInstantiations, TemplatesToldApartByTheirParameters) {
  const auto filled = [](const char* name, auto one, bool pumped) {
    using T = decltype(one);
    auto kernel = conformance_kernel("nested_macros", name);
    kernel.buffer(0, std::vector<std::uint64_t>(2)).value(1, 0.5f).grid({1, 1, 1}, {2, 1, 1});
    const auto level = KernelRun::kUnbound, flow = level + 1;
    kernel.buffer(level, std::vector<T>(2, T(1.0f))).pointer(0, 0, level);
    if (pumped) kernel.buffer(flow, std::vector<T>(2, T(3.0f))).pointer(0, 8, flow);
    return float(run_clean(kernel).template values<T>(level)[1]);
  };
  EXPECT_EQ(filled("fill_float", 1.0f, false), 1.5f);
  EXPECT_EQ(filled("fill_pumped_float", 1.0f, true), 4.0f);
  EXPECT_EQ(filled("fill_half", Half(1.0f), false), 1.5f);
  EXPECT_EQ(filled("fill_pumped_half", Half(1.0f), true), 4.0f);
}

TEST_P(ConformanceOfInstantiations, FunctionsWithSpecialCasesAlone) {
  auto below = conformance_kernel("specialised_functions", "keep_below");
  below.buffer(0, std::vector<float>{1, 2, 3, 4}).value(1, 2).grid({1, 1, 1}, {2, 2, 1});
  EXPECT_EQ(run_clean(below).values<float>(0), (std::vector<float>{1, 0, 3, 4}));
  auto above = conformance_kernel("specialised_functions", "keep_above");
  above.buffer(0, std::vector<int>{1, 2, 3, 4}).value(1, 2).grid({1, 1, 1}, {2, 2, 1});
  EXPECT_EQ(run_clean(above).values<int>(0), (std::vector<int>{-2, 2, -2, -2}));
}

TEST_P(ConformanceOfInstantiations, ListsInBracesAndVolatileVectors) {
  auto kernel = conformance_kernel("specialised_functions", "braces");
  kernel.buffer(0, std::vector<float>{1, 2, 3, 4}).grid({1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(0), (std::vector<float>{2, 3, 4, 5}));
}

TEST_P(ConformanceOfInstantiations, PackedVectorsOfAnotherType) {
  auto kernel = conformance_kernel("specialised_functions", "unpack");
  kernel.buffer(0, std::vector<std::int8_t>{1, -2, 3, 127, 0, 5, 0, -128}).buffer(1, std::vector<Half>(8));
  kernel.buffer(2, std::vector<float>(2)).grid({1, 1, 1}, {2, 1, 1});
  const auto finished = run_clean(kernel);
  EXPECT_EQ(float(finished.values<Half>(1)[7]), -128);
  EXPECT_EQ(finished.values<float>(2), (std::vector<float>{64.5f - 2, -61.5f + 5}));
}

}  // namespace
}  // namespace assay::metal
