#include "harness/verify/compare.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "assay/device/guarded_device.hpp"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
Tensor tensor(DType dtype, std::vector<std::size_t> shape, const std::vector<T>& values) {
  Tensor t = make_tensor("C", dtype, std::move(shape));
  std::copy(values.begin(), values.end(), t.as<T>().begin());
  return t;
}

Tensor floats(const std::vector<float>& values) { return tensor(DType::f32, {values.size()}, values); }
Tensor halves(const std::vector<std::uint16_t>& bits) { return tensor(DType::f16, {bits.size()}, bits); }

Expectation exactly(const std::vector<double>& values) {
  return {"C", values, values, values, false, "exact"};
}
Expectation within(const std::vector<double>& values, double margin) {
  Expectation e = exactly(values);
  for (double& low : e.low) low -= margin;
  for (double& high : e.high) high += margin;
  return e;
}

TEST(Decode, HalvesOfEveryClass) {
  const Tensor t =
      halves({0x3C00, 0xC000, 0x0001, 0x83FF, 0x7BFF, 0x0000, 0x8000, 0x7C00, 0xFC00, 0x7C01, 0xFE00});
  const double expected[] = {1, -2, 0x1p-24, -1023 * 0x1p-24, 65504, 0, 0, kInf, -kInf};
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(decode(t, i), expected[i]) << i;
  EXPECT_TRUE(std::signbit(decode(t, 6)));
  EXPECT_TRUE(std::isnan(decode(t, 9)) && std::isnan(decode(t, 10)));
}

TEST(Decode, EveryHalfAgreesWithItsDefinition) {
  for (unsigned bits = 0; bits < 0x7C00u; ++bits) {
    const unsigned exponent = bits >> 10, mantissa = bits & 0x3FFu;
    const double expected = exponent == 0 ? std::ldexp(mantissa, -24)
                                          : std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
    ASSERT_EQ(decode(halves({static_cast<std::uint16_t>(bits)}), 0), expected) << bits;
    ASSERT_EQ(decode(halves({static_cast<std::uint16_t>(bits | 0x8000u)}), 0), -expected) << bits;
  }
}

TEST(Decode, IntegersAndFloats) {
  EXPECT_EQ(decode(tensor<std::uint8_t>(DType::u8, {2}, {0, 255}), 1), 255);
  EXPECT_EQ(decode(tensor<std::uint16_t>(DType::u16, {1}, {65535}), 0), 65535);
  EXPECT_EQ(decode(tensor<std::uint32_t>(DType::u32, {1}, {4294967295u}), 0), 4294967295.0);
  EXPECT_EQ(decode(tensor<std::int32_t>(DType::i32, {1}, {-7}), 0), -7);
  EXPECT_EQ(decode(floats({0.1f}), 0), static_cast<double>(0.1f));
  EXPECT_EQ(decode(tensor<double>(DType::f64, {1}, {0.1}), 0), 0.1);
}

TEST(Compare, EndsOfTheIntervalAreRight) {
  EXPECT_TRUE(compare(floats({0.5f, 1.0f, 1.5f}), within({1, 1, 1}, 0.5)).right());
  EXPECT_EQ(compare(floats({0.4999f, 1.5001f}), within({1, 1}, 0.5)).wrong.size(), 2u);
}

TEST(Compare, NaNIsRightOnlyWhereExpected) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(compare(floats({nan}), within({1}, 1e30)).right());
  EXPECT_FALSE(compare(floats({nan}), within({kInf}, 0)).right());
  EXPECT_TRUE(compare(floats({nan}), exactly({kNaN})).right());
  EXPECT_FALSE(compare(floats({1}), exactly({kNaN})).right());
}

TEST(Compare, BoundThatIsNaNAcceptsNothing) {
  Expectation e = exactly({1});
  e.low[0] = kNaN;
  EXPECT_FALSE(compare(floats({1}), e).right());
  e = exactly({1});
  e.high[0] = kNaN;
  EXPECT_FALSE(compare(floats({1}), e).right());
}

TEST(Compare, InfinitiesMatchInSign) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compare(floats({inf, -inf}), exactly({kInf, -kInf})).right());
  EXPECT_EQ(compare(floats({inf, -inf, inf}), exactly({-kInf, kInf, 1})).wrong.size(), 3u);
}

TEST(Compare, SignOfZeroMattersWhereAskedFor) {
  Expectation e = exactly({-0.0, 0.0});
  EXPECT_TRUE(compare(halves({0x0000, 0x8000}), e).right());
  e.signed_zero = true;
  EXPECT_EQ(compare(halves({0x0000, 0x8000}), e).wrong.size(), 2u);
  EXPECT_TRUE(compare(halves({0x8000, 0x0000}), e).right());
}

TEST(Compare, PoisonIsNeverWrittenEvenWhereNaNIsExpected) {
  const Comparison halves_seen = compare(halves({device::kPoison, 0x7E00, 0x3C00}), exactly({kNaN, kNaN, 2}));
  ASSERT_EQ(halves_seen.wrong.size(), 2u);
  EXPECT_EQ(halves_seen.never_written, 1u);
  EXPECT_TRUE(halves_seen.wrong[0].never_written);
  EXPECT_FALSE(halves_seen.wrong[1].never_written);

  const auto poison = std::bit_cast<float>(std::uint32_t{device::kPoison} << 16 | device::kPoison);
  EXPECT_EQ(compare(floats({poison}), exactly({kNaN})).never_written, 1u);
}

// Scales that are NaN may have that payload, too: it tells nothing where no lane was given another's value.
TEST(Compare, ValuesOfInactiveLanesAreUndefinedWhereLanesWereGivenSome) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Expectation anything = exactly({0, 0, 0, 0, 0});
  std::fill(anything.low.begin(), anything.low.end(), -kInf);
  std::fill(anything.high.begin(), anything.high.end(), kInf);
  // As it is, as arithmetic in float leaves it, the two negated, and another NaN.
  const Tensor got = halves({device::kInactiveLane, 0xFE1F, 0x7FC3, 0x7E1F, 0x7E00});
  EXPECT_TRUE(compare(got, anything).right());
  const Comparison seen = compare(got, anything, device::kPoison, true);
  ASSERT_EQ(seen.wrong.size(), 4u);
  for (const WrongElement& one : seen.wrong) EXPECT_TRUE(one.undefined && !one.never_written) << one.index;

  EXPECT_TRUE(compare(got, exactly({kNaN, kNaN, kNaN, kNaN, kNaN}), device::kPoison, true).right());
  const Comparison ones = compare(got, exactly({1, 1, 1, 1, 1}), device::kPoison, true);
  ASSERT_EQ(ones.wrong.size(), 5u);
  EXPECT_TRUE(ones.wrong[0].undefined);
  EXPECT_FALSE(ones.wrong[4].undefined);
}

TEST(Compare, PoisonedBytesAlternate) {
  const Tensor bytes = tensor<std::uint8_t>(DType::u8, {3}, {0xA5, 0xFF, 0xFF});
  const Comparison result = compare(bytes, exactly({1, 1, 1}));
  EXPECT_EQ(result.wrong.size(), 3u);
  EXPECT_EQ(result.never_written, 2u);
}

TEST(Compare, IntegerThatEqualsThePoisonMayBeRight) {
  EXPECT_TRUE(
      compare(tensor<std::uint16_t>(DType::u16, {1}, {device::kPoison}), exactly({device::kPoison})).right());
}

TEST(Compare, FinitePoisonIsNeverWrittenWhereItIsWrong) {
  const double value = decode(halves({device::kSecondPoison}), 0);
  EXPECT_TRUE(compare(halves({device::kSecondPoison}), exactly({value}), device::kSecondPoison).right());
  EXPECT_EQ(compare(halves({device::kSecondPoison}), exactly({1}), device::kSecondPoison).never_written, 1u);
}

// Guards against bytes that were copied, which look as if nobody had written them.
TEST(Compare, PoisonThatASecondRunHoldsTooWasWritten) {
  const double kAny = std::numeric_limits<double>::infinity();
  const Tensor poison = halves({device::kPoison}), second = halves({device::kSecondPoison});
  Expectation anything = exactly({0});
  anything.low = {-kAny}, anything.high = {kAny};
  FreshMemory copied, left;
  copied.other = &poison;
  left.other = &second;
  EXPECT_EQ(compare(poison, anything).never_written, 1u);
  EXPECT_TRUE(compare(poison, anything, copied).right());
  EXPECT_TRUE(compare(poison, exactly({decode(poison, 0)}), copied).right());
  const Comparison wrong = compare(poison, exactly({1}), copied);
  EXPECT_TRUE(wrong.wrong.size() == 1 && wrong.never_written == 0);
  for (const double value : {decode(poison, 0), 1.0})
    EXPECT_EQ(compare(poison, exactly({value}), left).never_written, 1u) << value;
  EXPECT_EQ(compare(poison, anything, left).never_written, 1u);
  const Tensor longer = halves({0, 0});
  left.other = &longer;
  EXPECT_THROW(compare(poison, anything, left), std::invalid_argument);
}

// Guards against a race that leaves an element alone in one of the two runs: it was to be called a NaN.
TEST(Compare, PoisonThatOnlyOneRunLeftWasNeverWritten) {
  const Tensor left = halves({device::kPoison}), written = halves({0x3C00});
  FreshMemory fresh;
  fresh.other = &written;
  EXPECT_EQ(compare(left, exactly({1}), fresh).never_written, 1u);
  // What may come out otherwise each time is right if it equals the pattern, and so is a byte.
  EXPECT_TRUE(compare(left, exactly({kNaN}), fresh).right());
  const Tensor byte = tensor<std::uint8_t>(DType::u8, {1}, {0xA5});
  const Tensor other_byte = tensor<std::uint8_t>(DType::u8, {1}, {7});
  fresh.other = &other_byte;
  EXPECT_TRUE(compare(byte, exactly({0xA5}), fresh).right());
  EXPECT_EQ(compare(byte, exactly({1}), fresh).never_written, 0u);
}

TEST(Compare, FirstWorstRowsAndColumns) {
  std::vector<float> got(12, 1.0f);
  got[2] = 1.5f;   // row 0, column 2
  got[6] = -3.0f;  // row 1, column 2
  got[7] = 2.0f;   // row 1, column 3
  const Comparison result =
      compare(tensor(DType::f32, {3, 4}, got), within(std::vector<double>(12, 1), 0.25));
  ASSERT_EQ(result.wrong.size(), 3u);
  EXPECT_EQ(result.elements, 12u);
  EXPECT_EQ(result.wrong[0].index, 2u);
  EXPECT_EQ(result.wrong[result.worst].index, 6u);
  EXPECT_EQ(result.wrong[result.worst].got, -3);
  EXPECT_EQ(result.wrong[result.worst].low, 0.75);
  EXPECT_EQ(result.wrong_rows(), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(result.wrong_columns(), (std::vector<std::size_t>{2, 3}));
}

TEST(Compare, NaNIsWorseThanAnyNumber) {
  const Comparison result =
      compare(floats({1e30f, std::numeric_limits<float>::quiet_NaN(), -1e38f}), exactly({1, 1, 1}));
  EXPECT_EQ(result.wrong[result.worst].index, 1u);
}

TEST(Compare, WorstIsAnElementThatWasWritten) {
  const Comparison result = compare(halves({device::kPoison, 0x3C00, 0x4000}), exactly({1, 1.5, 1}));
  EXPECT_EQ(result.wrong[result.worst].index, 2u);
}

TEST(Compare, RowsOfHigherRanksAreAllButTheLastDimension) {
  Tensor t = make_tensor("C", DType::u8, {2, 3, 4});
  t.as<std::uint8_t>()[23] = 1;
  const Comparison result = compare(t, exactly(std::vector<double>(24, 0)));
  EXPECT_EQ(result.matrix().rows, 6u);
  EXPECT_EQ(result.wrong.at(0).row, 5u);
  EXPECT_EQ(result.wrong.at(0).column, 3u);
}

TEST(Compare, ExpectationOfAnotherTensorIsRefused) {
  EXPECT_THROW(compare(floats({1, 2}), exactly({1})), std::invalid_argument);
  Expectation other = exactly({1});
  other.tensor = "D";
  EXPECT_THROW(compare(floats({1}), other), std::invalid_argument);
  Tensor cut = floats({1, 2});
  cut.data.resize(7);
  EXPECT_THROW(compare(cut, exactly({1, 2})), std::invalid_argument);
}

RC_GTEST_PROP(Compare, ExactlyTheChangedElementsAreWrong, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 200);
  const auto changed = *rc::gen::container<std::vector<bool>>(size, rc::gen::arbitrary<bool>());
  std::vector<float> got(size);
  std::vector<double> expected(size);
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    expected[i] = *rc::gen::inRange(-1000, 1000);
    got[i] = static_cast<float>(expected[i]) + (changed[i] ? 1.0f : 0.0f);
    count += changed[i] ? 1 : 0;
  }
  const Comparison result = compare(floats(got), exactly(expected));
  RC_ASSERT(result.wrong.size() == count);
  for (const WrongElement& element : result.wrong) RC_ASSERT(changed[element.index]);
}

TEST(CompareBits, DifferencesThatEqualValuesHide) {
  const Tensor a = halves({0x0000, 0x7E00, 0x3C00}), b = halves({0x8000, 0x7E01, 0x3C00});
  const auto differences = compare_bits({a}, {b});
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].different, 2u);
  EXPECT_EQ(differences[0].column, 0u);
  EXPECT_EQ(differences[0].second_bits, 0x8000u);
  EXPECT_TRUE(compare_bits({a}, {a}).empty());
}

TEST(CompareBits, RunsOfDifferentProblemsAreRefused) {
  EXPECT_THROW(compare_bits({halves({1})}, {}), std::invalid_argument);
  EXPECT_THROW(compare_bits({halves({1})}, {halves({1, 2})}), std::invalid_argument);
}

}  // namespace
}  // namespace assay
