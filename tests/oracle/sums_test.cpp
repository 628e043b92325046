// Bounds of sums, held against sums in floats. Varied: the order (forwards, backwards, in pairs, strided as
// threads take them, shuffled), the count, signs, magnitudes, and terms that are products; adversarial terms
// make every rounding go the same way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "assay/reference/functions.h"
#include "tests/oracle/bounds.hpp"

namespace assay::oracle::testing {
namespace {

namespace ref = assay_reference;

float pairwise(const std::vector<float>& terms, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return terms[begin];
  const std::size_t middle = begin + (end - begin) / 2;
  return pairwise(terms, begin, middle) + pairwise(terms, middle, end);
}

float strided(const std::vector<float>& terms, std::size_t threads) {
  std::vector<float> parts(std::min(threads, terms.size()), 0.0f);
  for (std::size_t i = 0; i < terms.size(); ++i) parts[i % parts.size()] += terms[i];
  return pairwise(parts, 0, parts.size());
}

std::vector<float> in_every_order(std::vector<float> terms, std::mt19937_64& random) {
  std::vector<float> sums = {std::accumulate(terms.begin(), terms.end(), 0.0f),
                             std::accumulate(terms.rbegin(), terms.rend(), 0.0f),
                             pairwise(terms, 0, terms.size()), strided(terms, 32), strided(terms, 256)};
  std::shuffle(terms.begin(), terms.end(), random);
  sums.push_back(std::accumulate(terms.begin(), terms.end(), 0.0f));
  std::sort(terms.begin(), terms.end());
  sums.push_back(std::accumulate(terms.begin(), terms.end(), 0.0f));
  return sums;
}

ref::Number bound_of(const std::vector<float>& terms) {
  return ref::sum(static_cast<long>(terms.size()), [&](long i) {
    return ref::Number::exactly(static_cast<double>(terms[static_cast<std::size_t>(i)]));
  });
}

TEST(Sums, OfRandomTermsInEveryOrderLieInside) {
  std::mt19937_64 random(1);
  Tightness tightness;
  for (int round = 0; round < 150'000; ++round) {
    const std::size_t count = 2 + random() % 60;
    std::vector<float> terms(count);
    for (float& term : terms) {
      const int exponent = static_cast<int>(random() % (round % 2 == 0 ? 4 : 20)) - 10;
      term = std::ldexp(1 + static_cast<float>(random() % 0x800000) * 0x1p-23f, exponent);
      if (round % 3 == 0 && random() % 2 == 0) term = -term;
    }
    const auto bound = bound_of(terms);
    for (const float got : in_every_order(terms, random)) tightness.take(bound, static_cast<double>(got));
  }
  tightness.expect_honest_and_tight(1'000'000);
}

// 1 and then terms just above half a unit of the sum: each addition rounds up by nearly half a unit.
TEST(Sums, ThatRoundTheSameWayEachTimeLieInside) {
  std::mt19937_64 random(2);
  Tightness tightness;
  for (const std::size_t count : {2u, 3u, 10u, 100u, 1000u, 100'000u}) {
    std::vector<float> terms(count, 0x1.000002p-24f);
    terms.front() = 1;
    const auto bound = bound_of(terms);
    for (const float got : in_every_order(terms, random)) tightness.take(bound, static_cast<double>(got));
    Tightness alone;
    alone.take(bound, static_cast<double>(std::accumulate(terms.begin(), terms.end(), 0.0f)));
    EXPECT_GE(alone.worst(), 0.1) << count;
  }
  tightness.expect_honest_and_tight(30);
}

TEST(Sums, OfProductsRoundedAndFusedLieInside) {
  std::mt19937_64 random(3);
  Tightness tightness;
  for (int round = 0; round < 300'000; ++round) {
    const std::size_t count = 1 + random() % 40;
    float plain = 0, fused = 0, backwards = 0;
    std::vector<std::pair<float, float>> factors;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = [&] {
        return static_cast<float>(static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000) * 0x1p-19f;
      };
      factors.emplace_back(one(), one());
    }
    for (const auto& [a, b] : factors) {
      const float product = a * b;
      plain += product;
      fused = std::fma(a, b, fused);
    }
    for (auto at = factors.rbegin(); at != factors.rend(); ++at)
      backwards = std::fma(at->first, at->second, backwards);
    const auto bound = ref::dot(
        static_cast<long>(count),
        [&](long i) {
          return ref::Number::exactly(static_cast<double>(factors[static_cast<std::size_t>(i)].first));
        },
        [&](long i) {
          return ref::Number::exactly(static_cast<double>(factors[static_cast<std::size_t>(i)].second));
        });
    for (const float got : {plain, fused, backwards}) tightness.take(bound, static_cast<double>(got));
  }
  tightness.expect_honest_and_tight(800'000);
}

// A sum of integers, and two scales: kernels multiply them in any order. One that is exact, or rounds once,
// may round twice in another order.
TEST(Products, OfThreeFactorsInEveryOrderLieInside) {
  std::mt19937_64 random(4);
  Tightness tightness;
  const auto bits = [&](unsigned most) {
    const unsigned count = 1 + static_cast<unsigned>(random() % most);
    const auto whole = static_cast<float>(random() >> (64 - count) | 1);
    return std::ldexp(random() % 2 == 0 ? whole : -whole, static_cast<int>(random() % 20) - 20);
  };
  for (int round = 0; round < 400'000; ++round) {
    const float total = bits(16), a = bits(24), w = bits(24);
    const auto number = [](float value) { return ref::Number::exactly(static_cast<double>(value)); };
    const auto bound = number(total) * number(a) * number(w);
    for (const float got : {total * a * w, total * (a * w), total * w * a})
      tightness.take(bound, static_cast<double>(got));
  }
  tightness.expect_honest_and_tight(1'000'000);
}

// What each order holds exactly has one value.
TEST(Products, ThatNoOrderRoundsAreExact) {
  const auto product = ref::Number(1000) * ref::Number(0.375) * ref::Number(77);
  EXPECT_TRUE(product.is_exact());
  EXPECT_EQ(product.value(), 28875.0);
  EXPECT_FALSE((ref::Number(3) * ref::Number(0x1p-20 + 1) * ref::Number(0x1p-20 + 1)).is_exact());
}

// Whole numbers that float holds whatever the order: one value is right, and no other.
// Products beyond the largest float: infinite where they are rounded, not where they are fused into the sum.
TEST(Sums, OfProductsThatOverflowLieInsideRoundedAndFused) {
  std::mt19937_64 random(7);
  std::size_t infinite = 0;
  for (int round = 0; round < 100'000; ++round) {
    const std::size_t count = 2 + random() % 4;
    std::vector<float> a(count), b(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto draw = [&] {
        const int exponent = random() % 2 == 0 ? 63 + static_cast<int>(random() % 3) : 126;
        const float value = std::ldexp(1 + static_cast<float>(random() % 8) / 8, exponent);
        return random() % (round % 2 == 0 ? 64 : 2) == 0 ? -value : value;
      };
      a[i] = draw();
      b[i] = random() % 3 == 0 ? 1.0f : draw();
    }
    const auto bound = ref::sum(static_cast<long>(count), [&](long t) {
      const auto i = static_cast<std::size_t>(t);
      return ref::Number::exactly(static_cast<double>(a[i])) *
             ref::Number::exactly(static_cast<double>(b[i]));
    });
    infinite += std::isinf(bound.value()) ? 1 : 0;
    for (const bool fused : {false, true}) {
      for (const bool backwards : {false, true}) {
        float sum = 0;
        for (std::size_t t = 0; t < count; ++t) {
          const std::size_t i = backwards ? count - 1 - t : t;
          sum = fused ? std::fma(a[i], b[i], sum) : sum + a[i] * b[i];
        }
        if (bound.is_unknown()) continue;
        if (std::isnan(sum) || std::isnan(bound.value())) {
          ASSERT_TRUE(std::isnan(sum) && std::isnan(bound.value())) << round;
        } else if (std::isinf(bound.value()) || std::isinf(sum)) {
          ASSERT_EQ(static_cast<double>(sum), bound.value()) << round;
        } else {
          ASSERT_TRUE(bound.low() <= sum && sum <= bound.high()) << round;
        }
      }
    }
  }
  EXPECT_GT(infinite, 10'000u) << "what is infinite either way is said";
}

TEST(Sums, ThatNoOrderChangesAreExact) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 1000; ++round) {
    std::vector<float> terms(1 + random() % 500);
    for (float& term : terms) term = static_cast<float>(static_cast<int>(random() % 129) - 64) * 0x1p-3f;
    const auto bound = bound_of(terms);
    EXPECT_EQ(bound.radius(), 0);
    EXPECT_EQ(bound.value(), static_cast<double>(std::accumulate(terms.begin(), terms.end(), 0.0f)));
  }
}

TEST(Sums, ThatFloatCannotHoldAreNot) {
  EXPECT_GT(bound_of({0x1p24f, 1.0f}).radius(), 0);
  EXPECT_EQ(bound_of({0x1p23f, 1.0f}).radius(), 0);
  EXPECT_TRUE(bound_of({3e38f, 3e38f, -3e38f}).is_unknown());
}

// A chain of additions is one sum, whatever its parentheses: a compiler that may regroup regroups it.
TEST(Sums, AreOpenUntilTheyAreUsed) {
  const auto big = ref::Number::exactly(0x1p30), small = ref::Number::exactly(1.25);
  // NOLINTNEXTLINE(misc-redundant-expression)
  const auto left = (big - big) + small, right = big - (big - small);
  EXPECT_DOUBLE_EQ(left.radius(), right.radius());
  EXPECT_EQ(left.value(), 1.25);
  EXPECT_GE(left.radius(), 0x1p30 * 0x1p-24);
}

TEST(Stored, ToHalfRoundsOnceAndKeepsWhatFits) {
  EXPECT_EQ(ref::stored<ref::half>(ref::Number::exactly(1 + 0x1p-11)).value(), 1);
  EXPECT_EQ(ref::stored<ref::half>(ref::Number::exactly(1 + 0x1.8p-11)).value(), 1 + 0x1p-10);
  EXPECT_EQ(ref::stored<ref::half>(ref::Number::exactly(65520)).value(), INFINITY);
  EXPECT_EQ(ref::stored<ref::half>(ref::Number::exactly(65519)).value(), 65504);
  EXPECT_EQ(ref::stored<ref::half>(ref::Number::exactly(0x1p-25)).value(), 0);
  EXPECT_EQ(ref::stored<ref::half>(ref::Number::exactly(0x1.8p-25)).value(), 0x1p-24);
  EXPECT_GT(ref::maybe_stored<ref::half>(ref::Number::exactly(1 + 0x1p-11)).radius(), 0x1p-12);
  EXPECT_EQ(ref::maybe_stored<ref::half>(ref::Number::exactly(1 + 0x1p-10)).radius(), 0);
}

}  // namespace
}  // namespace assay::oracle::testing
