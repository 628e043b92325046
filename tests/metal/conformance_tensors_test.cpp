// Conformance: Metal 4's tensors and matmul2d. Varied: where the operands lie, their types, transposes, tiles
// that the matrix ends in, how many simdgroups there are, and what is forgotten.
#include <gmock/gmock.h>

#include <bit>

#include "tests/metal/conformance.hpp"

namespace assay::metal {
namespace {

using testing::HasSubstr;

class ConformanceOfTensors : public BothModes {};
ASSAY_ALL_WAYS(ConformanceOfTensors);
class ConformanceOfTensorFaults : public BothModes {
 protected:
  /// The first fault, which is what a report begins with.
  static void expect_fault(const Finished& finished, device::FaultKind kind,
                           const testing::Matcher<std::string>& message) {
    ASSERT_FALSE(finished.report.faults.empty());
    EXPECT_EQ(finished.report.faults[0].kind, kind);
    EXPECT_THAT(finished.report.faults[0].message, message);
  }
};
ASSAY_CHECKED_MODE(ConformanceOfTensorFaults);

// Whole numbers that need no rounding.
class Bfloat {
 public:
  Bfloat() = default;
  Bfloat(int value) : bits_(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(float(value)) >> 16)) {}
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits_} << 16); }

 private:
  std::uint16_t bits_ = 0;
};

struct Sizes {
  std::int32_t rows, columns, depth;
};

std::size_t count(std::int32_t a, std::int32_t b) { return std::size_t(a) * std::size_t(b); }

// What each element of left * right must be. A factor that is turned lies with its columns as rows.
template <class T>
std::vector<float> product(const std::vector<T>& left, const std::vector<T>& right, Sizes sizes,
                           bool left_turned, bool right_turned) {
  std::vector<float> sums;
  for (std::int32_t row = 0; row < sizes.rows; ++row) {
    for (std::int32_t column = 0; column < sizes.columns; ++column) {
      float sum = 0;
      for (std::int32_t k = 0; k < sizes.depth; ++k) {
        const auto l =
            left_turned ? count(k, sizes.rows) + std::size_t(row) : count(row, sizes.depth) + std::size_t(k);
        const auto r = right_turned ? count(column, sizes.depth) + std::size_t(k)
                                    : count(k, sizes.columns) + std::size_t(column);
        sum += float(left[l]) * float(right[r]);
      }
      sums.push_back(sum);
    }
  }
  return sums;
}

template <class T>
std::vector<float> as_floats(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

template <class T, class Sum>
void expect_harvest(const std::string& function, bool left_turned, bool right_turned, Setting setting) {
  const Sizes sizes = {45, 70, 37};
  const auto trees = whole_numbers<T>(count(sizes.rows, sizes.depth), 0, 9, 71),
             weeks = whole_numbers<T>(count(sizes.depth, sizes.columns), 0, 9, 72);
  auto kernel = conformance_kernel("tensors", function);
  kernel.buffer(0, trees).buffer(1, weeks).value(3, sizes);
  kernel.buffer(2, std::vector<Sum>(count(sizes.rows, sizes.columns), Sum(-1)));
  const auto finished = kernel.grid({3, 2, 1}, {32, 1, 1}).run(setting.mode, setting.numerics);
  for (const auto& fault : finished.report.faults) ADD_FAILURE() << function << ": " << fault.message;
  EXPECT_EQ(as_floats(finished.template values<Sum>(2)),
            product(trees, weeks, sizes, left_turned, right_turned))
      << function;
}

TEST_P(ConformanceOfTensors, InMemoryOfEveryTypeCutAtTheEdges) {
  expect_harvest<Half, float>("harvest_half", false, false, GetParam());
  expect_harvest<Bfloat, float>("harvest_bfloat", true, false, GetParam());
  expect_harvest<float, float>("harvest_float", false, true, GetParam());
  expect_harvest<std::int8_t, std::int32_t>("harvest_char", true, true, GetParam());
  expect_harvest<std::uint8_t, std::int32_t>("harvest_uchar", false, true, GetParam());
}

constexpr Sizes kPress = {41, 77, 60};

// Four simdgroups, 41 of 48 rows and 77 of 80 columns.
KernelRun press(const std::string& hasty, const std::string& straggles, const std::string& begun,
                const std::string& skips = "false") {
  auto kernel = conformance_kernel("tensors", "press");
  kernel.constant(0, hasty).constant(1, straggles).constant(2, begun).constant(3, skips).value(3, kPress);
  kernel.buffer(0, whole_numbers<Half>(count(kPress.rows, kPress.depth), -3, 3, 73))
      .buffer(1, whole_numbers<Half>(count(kPress.columns, kPress.depth), -2, 2, 74))
      .buffer(2, std::vector<Half>(count(kPress.rows, kPress.columns)))
      .buffer(4, whole_numbers<float>(80, 0, 20, 75));
  return kernel.grid({1, 1, 1}, {128, 1, 1});
}

TEST_P(ConformanceOfTensors, InThreadgroupMemoryOfFourSimdgroups) {
  const auto finished = run_clean(press("false", "false", "true"));
  const auto sugar = whole_numbers<float>(80, 0, 20, 75);
  auto expected =
      product(whole_numbers<Half>(count(kPress.rows, kPress.depth), -3, 3, 73),
              whole_numbers<Half>(count(kPress.columns, kPress.depth), -2, 2, 74), kPress, false, true);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += sugar[i % std::size_t(kPress.columns)];
  EXPECT_EQ(as_floats(finished.values<Half>(2)), expected);
}

TEST_P(ConformanceOfTensorFaults, AMissingBarrierIsARace) {
  expect_fault(press("true", "false", "true").run(GetParam().mode), device::FaultKind::race,
               HasSubstr("`stage`"));
}

TEST_P(ConformanceOfTensorFaults, AFactorThatIsNotFilled) {
  expect_fault(press("false", "false", "true", "true").run(GetParam().mode),
               device::FaultKind::uninitialised_read,
               "a read of `stage` at byte 2,640, which nobody has written");
}

TEST_P(ConformanceOfTensorFaults, ASimdgroupThatStaysAway) {
  expect_fault(
      press("false", "true", "true").run(GetParam().mode), device::FaultKind::divergent_barrier,
      "simdgroups 0 and 3 do different operations on tensors before this barrier; all simdgroups of an "
      "operation must take part in it, with the same arguments");
}

TEST_P(ConformanceOfTensorFaults, OtherSimdgroupsThanTheOperationHas) {
  auto kernel = press("false", "false", "true");
  expect_fault(kernel.grid({1, 1, 1}, {96, 1, 1}).run(GetParam().mode), device::FaultKind::divergent_barrier,
               "an operation of 4 simdgroups in a threadgroup that has 3");
}

TEST_P(ConformanceOfTensorFaults, SumsThatNobodyHasBegun) {
  expect_fault(press("false", "false", "false").run(GetParam().mode), device::FaultKind::uninitialised_read,
               "elements of a cooperative tensor are read before they have a value");
}

KernelRun cellar(const std::string& function, Sizes sizes, const std::string& straggles) {
  auto kernel = conformance_kernel("tensors", function);
  kernel.constant(1, straggles);
  kernel.buffer(0, whole_numbers<Half>(count(sizes.rows, sizes.depth), -9, 9, 76))
      .buffer(1, whole_numbers<Half>(count(sizes.depth, sizes.columns), -9, 9, 77))
      .buffer(2, std::vector<float>(count(sizes.rows, sizes.columns)));
  return kernel.grid({1, 1, 1}, {32, 1, 1});
}

TEST_P(ConformanceOfTensors, InRegistersByTheirLayout) {
  struct Case {
    const char* function;
    Sizes sizes;
    bool left, right;
  };
  for (const auto& [function, sizes, left, right] :
       {Case{"cellar_plain", {16, 32, 16}, false, false}, Case{"cellar_deep", {16, 16, 32}, false, false},
        Case{"cellar_left", {32, 16, 32}, true, false}, Case{"cellar_right", {16, 32, 16}, false, true},
        Case{"cellar_both", {32, 32, 32}, true, true}}) {
    const auto finished = run_clean(cellar(function, sizes, "false"));
    auto expected =
        product(whole_numbers<Half>(count(sizes.rows, sizes.depth), -9, 9, 76),
                whole_numbers<Half>(count(sizes.depth, sizes.columns), -9, 9, 77), sizes, left, right);
    for (float& one : expected) one += 0.5f;
    EXPECT_EQ(finished.values<float>(2), expected) << function;
  }
}

TEST_P(ConformanceOfTensorFaults, LanesThatStayAway) {
  expect_fault(cellar("cellar_plain", {16, 32, 16}, "true").run(GetParam().mode),
               device::FaultKind::divergent_barrier,
               HasSubstr("do different numbers of matrix operations before the kernel's end (1 and 0)"));
}

TEST_P(ConformanceOfTensors, SlicedAndSummedInMemory) {
  const auto left = whole_numbers<Half>(21 * 14, -4, 4, 78), right = whole_numbers<Half>(40 * 24, -4, 4, 79);
  auto kernel = conformance_kernel("tensors", "blending");
  kernel.buffer(0, left)
      .buffer(1, right)
      .buffer(2, std::vector<float>(40 * 14, 7))
      .grid({1, 1, 1}, {32, 1, 1});
  const auto out = run_clean(kernel).values<float>(2);
  for (std::size_t row = 0; row < 14; ++row) {
    for (std::size_t column = 0; column < 40; ++column) {
      float sum = column < 5 || column >= 37 ? 3.5f : 0;
      for (std::size_t k = 0; k < 21 && sum != 3.5f; ++k)
        sum += float(left[row * 21 + k]) * float(right[(k + 3) * 40 + column - 5 + 8]);
      if (row == 1 && column < 2) sum = (column == 0 ? 37032.f : 32024.f) / 2;
      EXPECT_EQ(out[row * 40 + column], 2 * sum) << row << " " << column;
    }
  }
}

TEST_P(ConformanceOfTensors, OfEachThreadByItself) {
  const auto left = whole_numbers<float>(15 * 5, -9, 9, 80), right = whole_numbers<float>(20, -9, 9, 81);
  auto kernel = conformance_kernel("tensors", "saplings");
  kernel.buffer(0, left).buffer(1, right).buffer(2, std::vector<float>(12 * 5)).grid({1, 1, 1}, {5, 1, 1});
  const auto out = run_clean(kernel).values<float>(2);
  EXPECT_EQ(out, product(left, right, {15, 4, 5}, false, true));
}

TEST_P(ConformanceOfTensorFaults, ASliceThatReachesPastTheMemory) {
  auto kernel = conformance_kernel("tensors", "short_row");
  kernel.buffer(0, std::vector<Half>(20 * 16))
      .buffer(1, std::vector<Half>(256))
      .buffer(2, std::vector<float>(256));
  expect_fault(kernel.grid({1, 1, 1}, {32, 1, 1}).run(GetParam().mode), device::FaultKind::out_of_bounds,
               "a read at byte 640 is past the end of `first`, which has 640 bytes");
}

}  // namespace
}  // namespace assay::metal
