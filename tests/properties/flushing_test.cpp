// What is right where subnormals may be flushed: either way, term by term, and nothing where there are none.
#include "properties/cases/flushing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "harness/verify/compare.hpp"
#include "properties/cases/draw.hpp"
#include "properties/cases/search.hpp"
#include "properties/operations/products/gemm_expectation.hpp"
#include "properties/operations/products/weight_choices.hpp"
#include "reference/rans_product.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using reference::half_from_double;
using reference::half_to_double;
using Halves = std::vector<std::uint16_t>;

const Arithmetic kFlushed{.flushed = true};
const Arithmetic kFlushedHalves{.accumulate = Precision::half_precision, .flushed = true};

std::uint16_t flush(std::uint16_t half) {
  return reference::half_is_subnormal(half) ? static_cast<std::uint16_t>(half & 0x8000) : half;
}

// Halves of both signs, one in two of them subnormal.
Halves draw_halves(std::uint64_t seed, const char* stream, std::size_t count) {
  const Draw draw(seed, stream);
  Halves drawn;
  for (std::size_t i = 0; i < count; ++i) {
    const Words words = draw.words(i);
    drawn.push_back(static_cast<std::uint16_t>(words[0] & (words[1] % 2 ? 0x83FF : 0xBFFF)));
  }
  return drawn;
}

// Any of the factors flushed or not, each by itself.
RC_GTEST_PROP(FlushedProduct, AcceptsSumsOfAnyTermsKeptAndFlushed, (std::uint64_t seed)) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(1, 9);
  const Halves a = draw_halves(seed, "a", K), w = draw_halves(seed, "w", K);
  const Expectation expected =
      expect_product("C", 1, 1, K, a, w, kFlushed, {.choices = weight_choices(w, {})});
  const Draw draw(seed, "which");
  float sum = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const Words words = draw.words(k);
    const auto one = half_to_double(words[0] % 2 ? a[k] : flush(a[k])),
               other = half_to_double(words[1] % 2 ? w[k] : flush(w[k]));
    sum += static_cast<float>(one * other);
  }
  RC_ASSERT(testing::accepts(expected, 0, half_from_double(sum)));
}

RC_GTEST_PROP(FlushedProduct, AcceptsHalfAccumulatorsThatFlush, (std::uint64_t seed)) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(1, 9);
  const Halves a = draw_halves(seed, "a", K), w = draw_halves(seed, "w", K);
  const Expectation expected =
      expect_product("C", 1, 1, K, a, w, kFlushedHalves, {.choices = weight_choices(w, {})});
  std::uint16_t sum = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const std::uint16_t term =
        flush(half_from_double(half_to_double(flush(a[k])) * half_to_double(flush(w[k]))));
    sum = flush(half_from_double(half_to_double(sum) + half_to_double(term)));
  }
  RC_ASSERT(testing::accepts(expected, 0, sum));
}

// Normal factors, and in half no sums that could be subnormal: right is what is right in any mode.
RC_GTEST_PROP(FlushedProduct, IsNoWiderWithoutSubnormals, (std::uint64_t seed)) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(1, 9);
  const Draw draw(seed, "normal");
  Halves a, w;
  for (std::size_t k = 0; k < K; ++k) {
    a.push_back(half_from_double(between(-8, 8, draw.words(k)[0]) * 0x1p-3));
    w.push_back(half_from_double(between(-8, 8, draw.words(k)[1]) * 0x1p-2));
  }
  for (const Precision accumulate : {Precision::half_precision, Precision::float_precision}) {
    const Arithmetic kept{.accumulate = accumulate}, flushed{.accumulate = accumulate, .flushed = true};
    const auto one = expect_product("C", 1, 1, K, a, w, kept);
    const auto other = expect_product("C", 1, 1, K, a, w, flushed, {.choices = weight_choices(w, {})});
    RC_ASSERT(one.low == other.low);
    RC_ASSERT(one.high == other.high);
  }
}

TEST(FlushedProduct, RejectsWhatNeitherWayGives) {
  const std::uint16_t small = 0x0200, one = 0x3C00;  // 2^-15, 1
  const Halves a = {small, one}, w = {one, one};
  const auto expected = expect_product("C", 1, 1, 2, a, w, kFlushed, {.choices = weight_choices(w, {})});
  EXPECT_EQ(expected.low[0], 1.0);
  EXPECT_EQ(expected.high[0], 1.0) << "1 + 2^-15 is 1 in half";
  const auto alone = expect_product("C", 1, 1, 1, Halves{small}, Halves{0x4400}, kFlushed);
  EXPECT_TRUE(testing::accepts(alone, 0, 0));
  EXPECT_TRUE(testing::accepts(alone, 0, half_from_double(0x1p-13)));
  EXPECT_FALSE(testing::accepts(alone, 0, half_from_double(0x1.4p-13)));
  EXPECT_FALSE(testing::accepts(alone, 0, half_from_double(-0x1p-24)));
}

TEST(FlushedProduct, AnythingIsRightWhereZeroMayMeetInfinity) {
  const auto expected = expect_product("C", 1, 1, 1, Halves{0x0200}, Halves{0x7C00}, kFlushed);
  EXPECT_EQ(expected.low[0], -INFINITY);
  EXPECT_EQ(expected.high[0], INFINITY);
}

TEST(FlushedWeights, AreThemselvesOrZeroOfEitherSign) {
  const Halves kept = {0x3C00, 0x0200, 0x8000, 0x8200};
  const auto choices = weight_choices(kept, {Halves{0x3C00, 0x0200, 0x0000, 0x8200}});
  const auto expected = expect_halves("W", kept, choices);
  Tensor got = make_tensor("W", DType::f16, {4});
  const auto wrong = [&](Halves bits) {
    std::copy(bits.begin(), bits.end(), got.as<std::uint16_t>().begin());
    return compare(got, expected).wrong.size();
  };
  EXPECT_EQ(wrong(kept), 0U);
  EXPECT_EQ(wrong({0x3C00, 0x0000, 0x0000, 0x0000}), 0U);
  EXPECT_EQ(wrong({0x3C00, 0x8000, 0x8000, 0x8000}), 0U);
  EXPECT_EQ(wrong({0x3C01, 0x0201, 0x8001, 0x8201}), 4U);
}

// Every operation, on the cases of its runs: what was right stays right, and where no number is subnormal
// nothing else becomes so.
TEST(FlushedAnswers, HoldThoseOfKeptSubnormals) {
  for (const char* name : {"dequantize_fp4", "dequantize_u4", "dequantize_s4", "gemm_fp4", "gemm_u4",
                           "gemm_s4", "gemm_fp4_striped", "dequantize_trellis", "gemm_trellis",
                           "moe_swiglu_trellis", "rans_gemv", "rans_gemm", "rans_decode", "zero_reduction"}) {
    const Operation& operation = find_operation(name);
    const auto cases = operation.cases({});
    std::size_t judged = 0;
    for (std::uint64_t i = 0; i < 24; ++i) {
      const Problem problem = operation.make_problem(case_at(cases, 1, i));
      std::vector<Expectation> kept, flushed;
      try {
        kept = operation.expect(problem, {});
        flushed = right_answers(operation, problem, kFlushed);
      } catch (const Unjudgeable&) {
        continue;
      }
      ++judged;
      for (std::size_t t = 0; t < kept.size(); ++t) {
        ASSERT_EQ(kept[t].low.size(), flushed[t].low.size());
        for (std::size_t e = 0; e < kept[t].low.size(); ++e) {
          if (std::isinf(flushed[t].low[e]) && std::isinf(flushed[t].high[e])) continue;
          if (std::isnan(kept[t].low[e])) {
            ASSERT_TRUE(std::isnan(flushed[t].value[e])) << name << " case " << i;
            continue;
          }
          ASSERT_LE(flushed[t].low[e], kept[t].low[e]) << name << " case " << i;
          ASSERT_GE(flushed[t].high[e], kept[t].high[e]) << name << " case " << i;
        }
      }
    }
    EXPECT_GT(judged, 0U) << name;
  }
}

TEST(FlushedRans, HullsScalesAndZeroPoints) {
  const auto subnormal = reference::flushed_rans_weights(0x1p-140F, 1.0F);
  EXPECT_TRUE(subnormal.flushed);
  const auto small = reference::flushed_rans_weights(0x1p-140F, 0.0F);
  EXPECT_EQ(small.contracted[4], 0.0F);
  EXPECT_EQ(small.separate[4], 0x1p-138F);
  const auto ordinary = reference::flushed_rans_weights(0.25F, -3.0F);
  EXPECT_FALSE(ordinary.between);
  EXPECT_EQ(ordinary.contracted[5], ordinary.separate[5]);
}

TEST(FlushedInputs, KeepTheirSignAndAllElse) {
  Problem problem;
  problem.inputs = {make_tensor("h", DType::f16, {4}), make_tensor("f", DType::f32, {3})};
  const Halves halves = {0x8001, 0x0400, 0x03FF, 0x7C01};
  std::copy(halves.begin(), halves.end(), problem.inputs[0].as<std::uint16_t>().begin());
  problem.inputs[1].as<float>()[0] = -0x1p-130F;
  problem.inputs[1].as<float>()[1] = 0x1p-126F;
  const Problem flushed = with_flushed(problem);
  EXPECT_THAT(flushed.inputs[0].as<std::uint16_t>(), ::testing::ElementsAre(0x8000, 0x0400, 0x0000, 0x7C01));
  EXPECT_TRUE(std::signbit(flushed.inputs[1].as<float>()[0]));
  EXPECT_EQ(flushed.inputs[1].as<float>()[0], 0.0F);
  EXPECT_EQ(flushed.inputs[1].as<float>()[1], 0x1p-126F);
  EXPECT_TRUE(has_subnormals(problem.inputs[0]));
  EXPECT_FALSE(has_subnormals(flushed.inputs[0]));
}

}  // namespace
}  // namespace assay::properties
