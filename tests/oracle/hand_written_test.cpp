// Derived sets of right answers beside those that are worked out by hand: operations of this program, stated
// once more in text, over the same problems. Varied: sizes, values, arithmetic.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/verify/compare.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/operation.hpp"
#include "reference/half.hpp"
#include "tests/oracle/stated_texts.hpp"

namespace assay::oracle::testing {
namespace {

using properties::Case;
using properties::Operation;

/// How the sets of one output compare, element by element.
struct Comparison {
  std::size_t cases = 0, unjudged = 0;
  std::size_t elements = 0, equal = 0;
  std::size_t hand_sticks_out = 0;     ///< a value that the hand-written set has and the derived one has not
  std::size_t derived_sticks_out = 0;  ///< and the other way round
  std::size_t unsaid = 0;  ///< of which the derived one says nothing, and the hand-written one something
  double hand_values = 0, derived_values = 0;  ///< how many values are right, summed over all elements
  double widest = 0;  ///< the most values of a derived set for each of a hand-written one
  double furthest =
      0;  ///< the most values by which a hand-written set sticks out, for each of the derived one

  double factor() const { return derived_values / hand_values; }
  std::string text() const {
    return fmt::format(
        "{} cases ({} unjudged), {} elements: {} equal, hand sticks out {}, derived sticks out {}, unsaid "
        "{}, {:.3f} "
        "times as many values, at most {:.1f} times, hand out by at most {:.3f}",
        cases, unjudged, elements, equal, hand_sticks_out, derived_sticks_out, unsaid, factor(), widest,
        furthest);
  }
};

/// Values of the output's type are numbered, so that neighbours are one apart.
std::int64_t number_of(DType dtype, double value) {
  const auto folded = [](std::int64_t bits, std::int64_t sign) { return bits < sign ? bits : sign - bits; };
  if (dtype == DType::f16) return folded(reference::half_from_double(value), 0x8000);
  return folded(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 0x80000000L);
}

void compare(DType dtype, const Expectation& hand, const Expectation& derived, Comparison& into) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ASSERT_EQ(hand.low.size(), derived.low.size());
  for (std::size_t i = 0; i < hand.low.size(); ++i) {
    ++into.elements;
    const bool derived_says = !(derived.low[i] == -kInfinity && derived.high[i] == kInfinity);
    const bool hand_says = !(hand.low[i] == -kInfinity && hand.high[i] == kInfinity);
    if (!derived_says || !hand_says) {
      into.unsaid += hand_says ? 1 : 0;
      into.equal += !derived_says && !hand_says ? 1 : 0;
      into.hand_sticks_out += derived_says ? 1 : 0;
      continue;
    }
    if (std::isnan(hand.low[i]) || std::isnan(derived.low[i])) {
      const bool both = std::isnan(hand.low[i]) && std::isnan(derived.low[i]);
      into.equal += both ? 1 : 0;
      into.hand_sticks_out += both ? 0 : 1;
      into.derived_sticks_out += both ? 0 : 1;
      continue;
    }
    const std::int64_t h0 = number_of(dtype, hand.low[i]), h1 = number_of(dtype, hand.high[i]);
    const std::int64_t d0 = number_of(dtype, derived.low[i]), d1 = number_of(dtype, derived.high[i]);
    const auto count = [](std::int64_t from, std::int64_t to) { return static_cast<double>(to - from + 1); };
    into.equal += h0 == d0 && h1 == d1 ? 1 : 0;
    into.hand_sticks_out += h0 < d0 || h1 > d1 ? 1 : 0;
    into.derived_sticks_out += d0 < h0 || d1 > h1 ? 1 : 0;
    into.hand_values += count(h0, h1);
    into.derived_values += count(d0, d1);
    const double out =
        static_cast<double>(std::max<std::int64_t>(d0 - h0, 0) + std::max<std::int64_t>(h1 - d1, 0));
    into.furthest = std::max(into.furthest, out / count(d0, d1));
    into.widest = std::max(into.widest, count(d0, d1) / count(h0, h1));
  }
}

class HandWritten : public ::testing::Test {
 protected:
  HandWritten() {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("assay-hand-written-{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  ~HandWritten() override { std::filesystem::remove_all(folder_); }

  /// The first output of drawn cases, by the operation of that name and by its text.
  Comparison compared(const std::string& operation, const StatedText& text, const Arithmetic& arithmetic,
                      int cases) {
    std::ofstream(folder_ / "it.reference.cpp") << text.reference;
    const auto entry = parse_manifest(
        fmt::format("[[operation]]\nname = \"stated\"\nreference = \"it.reference.cpp\"\n{}\n[[kernel]]\n"
                    "name = \"k\"\nsource = \"k.metal\"\noperation = \"stated\"\narguments = [\"{}\"]\n"
                    "threads_per_threadgroup = 32\ngrid = [1, 1, 1]\n",
                    text.buffers, text.output),
        folder_ / "m.toml");
    const Operation& derived = properties::operation_of(entry.at(0));
    const Operation& hand = properties::find_operation(operation);
    properties::KernelTraits traits{
        .tile = {16, 16, 16}, .requirements = text.requirements, .arithmetic = arithmetic};
    const auto space = hand.cases(traits, {.largest = 1 << 13, .least = 1 << 9, .longest = 0});
    Comparison found;
    for (int i = 0; i < cases; ++i) {
      const Case drawn = space.draw(static_cast<std::uint64_t>(i) * 977 + 5, i % 60);
      if (std::find(text.without.begin(), text.without.end(), drawn.regime) != text.without.end()) continue;
      Problem problem = hand.make_problem(drawn);
      ++found.cases;
      std::vector<Expectation> by_hand;
      try {
        by_hand = hand.expect(problem, arithmetic);
      } catch (const properties::Unjudgeable&) {
        ++found.unjudged;
        continue;
      }
      problem.operation = "stated";
      const auto by_text = derived.expect(problem, arithmetic);
      compare(problem.outputs.front().dtype, by_hand.front(), by_text.front(), found);
    }
    fmt::print("{}: {}\n", operation, found.text());
    return found;
  }

 private:
  std::filesystem::path folder_;
};

Arithmetic arithmetic_of(Precision dequantize, Precision accumulate) {
  return {.dequantize = dequantize, .accumulate = accumulate, .intermediate = Precision::half_precision};
}
constexpr Precision kHalf = Precision::half_precision, kFloat = Precision::float_precision;

constexpr int kCases = 120;

// One value is right, and both say which: what is rounded once, of exact numbers, is known to the last bit.
TEST_F(HandWritten, DequantizedWeightsAreTheSame) {
  for (const char* operation : {"dequantize_fp4", "dequantize_u4", "dequantize_s4"}) {
    for (const Precision chain : {kHalf, kFloat}) {
      const auto found =
          compared(operation, dequantized(operation, chain == kFloat), arithmetic_of(chain, kFloat), kCases);
      EXPECT_EQ(found.equal, found.elements) << operation << ": " << found.text();
      EXPECT_GT(found.elements, 10'000u);
    }
  }
}

TEST_F(HandWritten, DequantizedTrellisWeightsAreTheSame) {
  const auto found =
      compared("dequantize_trellis", dequantized_trellis(), arithmetic_of(kHalf, kFloat), kCases);
  EXPECT_EQ(found.equal, found.elements) << found.text();
  EXPECT_GT(found.elements, 10'000u);
}

/// The derived set lies within the hand-written one, which has at most `most` times as many values in all.
void expect_inside(const Comparison& found, double most) {
  EXPECT_EQ(found.derived_sticks_out, 0u) << found.text();
  EXPECT_LE(found.hand_values, most * found.derived_values) << found.text();
  EXPECT_GT(found.elements, 5'000u);
  EXPECT_LT(10 * found.unjudged, found.cases);
}

// By hand each of K terms meets K roundings. The derivation leaves out those of products that a float holds,
// and of terms that are 0.
TEST_F(HandWritten, ProductsOfPackedWeightsHaveTheDerivedSetInside) {
  for (const char* operation : {"gemm_fp4", "gemm_u4"}) {
    for (const Precision accumulate : {kFloat, kHalf}) {
      const auto found =
          compared(operation, product(operation, false), arithmetic_of(kHalf, accumulate), kCases);
      expect_inside(found, 1.2);
      EXPECT_EQ(found.unsaid, 0u) << operation << ": " << found.text();
      EXPECT_GT(found.equal, found.elements * 9 / 10);
    }
  }
}

TEST_F(HandWritten, ProductsOfTrellisWeightsHaveTheDerivedSetInside) {
  const auto found = compared("gemm_trellis", trellis_product(), arithmetic_of(kHalf, kFloat), kCases);
  expect_inside(found, 1.1);
  EXPECT_EQ(found.unsaid, 0u) << found.text();
}

// By hand no sum is known to be exact. The derivation says nothing where exp(-gate) is above 2^126, the
// largest divisor that Metal's table of fast math has a word for.
TEST_F(HandWritten, ExpertsHaveTheDerivedSetInsideWhereItSaysSomething) {
  const auto found = compared("moe_swiglu_trellis", experts(), arithmetic_of(kHalf, kFloat), kCases);
  expect_inside(found, 4);
  EXPECT_LT(100 * found.unsaid, found.elements) << found.text();
}

// Neither contains the other: by hand it is seen when all of a sum's weights, rounded, are multiples of one
// power of two, and terms of 0 count among the N roundings; the derivation does neither. In all they are as
// wide.
TEST_F(HandWritten, ProductsOfRansWeightsAreAsWide) {
  const auto found = compared("rans_gemv", rans_product(), arithmetic_of(kHalf, kFloat), kCases);
  EXPECT_NEAR(found.factor(), 1, 0.05) << found.text();
  EXPECT_GT(10 * found.equal, 6 * found.elements) << found.text();
  EXPECT_LE(found.widest, 64) << found.text();
  EXPECT_EQ(found.unsaid, 0u) << found.text();
}

}  // namespace
}  // namespace assay::oracle::testing
