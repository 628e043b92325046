// Bounds of functions, held against evaluations that use up what Metal's tables grant: the nearest
// float of the exact result, moved by as many units in the last place as are allowed, in either direction.
// Varied: the argument over all magnitudes for which the function is defined, and errors of the argument
// itself.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "assay/reference/functions.h"
#include "tests/oracle/bounds.hpp"

namespace assay::oracle::testing {
namespace {

namespace ref = assay_reference;

constexpr int kEvaluations = 1'000'000;

double moved(double value, double ulps) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(value), -126) - 23);
  return value + ulps * unit;
}

struct Function {
  std::string name;
  double low, high;  ///< of arguments
  std::function<ref::Number(const ref::Number&)> bound;
  std::function<double(double)> exact;
  /// Of fast math, in ulp and in all, as Metal's table has it for that argument.
  std::function<double(double)> ulps;
  std::function<double(double)> absolute;
};

class OfTable : public ::testing::TestWithParam<Function> {};

double none(double) { return 0; }

// What is granted may be used up in either direction, and argument errors move the result further.
TEST_P(OfTable, EvaluationsThatUseUpWhatIsGrantedLieInside) {
  const Function& function = GetParam();
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> spread(function.low, function.high), unit(-1, 1);
  Tightness tightness;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto x = static_cast<float>(spread(random));
    const double radius = i % 2 == 0 ? 0 : std::fabs(x) * 0x1p-20;
    const double reached = static_cast<double>(x) + radius * unit(random);
    if (reached < function.low || reached > function.high) continue;
    const double direction = i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : unit(random);
    const double exact = function.exact(reached);
    const double got =
        moved(exact, direction * function.ulps(reached)) + direction * function.absolute(reached);
    tightness.take(function.bound(ref::Number::around(static_cast<double>(x), radius)), got);
  }
  tightness.expect_honest_and_tight(kEvaluations / 2);
}

double near_one(double x) { return x >= 0.5 && x <= 2 ? 0x1p-21 : 0; }
double away_from_one(double x) { return x >= 0.5 && x <= 2 ? 0 : 3; }
double of_power(double x) { return 3 + std::floor(std::fabs(2 * x)); }
double one_of(double) { return 1; }

INSTANTIATE_TEST_SUITE_P(
    Fast, OfTable,
    ::testing::Values(Function{"exp", -80, 80, [](const auto& x) { return ref::exp(x); },
                               [](double x) { return std::exp(x); }, of_power, none},
                      Function{"exp2", -120, 120, [](const auto& x) { return ref::exp2(x); },
                               [](double x) { return std::exp2(x); }, of_power, none},
                      Function{"log", 1e-20, 1e20, [](const auto& x) { return ref::log(x); },
                               [](double x) { return std::log(x); }, away_from_one, near_one},
                      Function{"log_near_one", 0.5, 2, [](const auto& x) { return ref::log(x); },
                               [](double x) { return std::log(x); }, away_from_one, near_one},
                      Function{"log2", 1e-3, 1e3, [](const auto& x) { return ref::log2(x); },
                               [](double x) { return std::log2(x); }, away_from_one, near_one},
                      Function{"sqrt", 0, 1e30, [](const auto& x) { return ref::sqrt(x); },
                               [](double x) { return std::sqrt(x); }, [](double) { return 4.5; }, none},
                      Function{"rsqrt", 1e-30, 1e30, [](const auto& x) { return ref::rsqrt(x); },
                               [](double x) { return 1 / std::sqrt(x); }, [](double) { return 2.0; }, none},
                      Function{"reciprocal", 1e-30, 1e30, [](const auto& x) { return 1 / x; },
                               [](double x) { return 1 / x; }, one_of, none},
                      Function{"sin", -3.14159, 3.14159, [](const auto& x) { return ref::sin(x); },
                               [](double x) { return std::sin(x); }, none, [](double) { return 0x1p-13; }},
                      Function{"cos", -3.14159, 3.14159, [](const auto& x) { return ref::cos(x); },
                               [](double x) { return std::cos(x); }, none, [](double) { return 0x1p-13; }},
                      Function{"asin", -0.99, 0.99, [](const auto& x) { return ref::asin(x); },
                               [](double x) { return std::asin(x); }, [](double) { return 5.0; }, none},
                      Function{"acos", -0.99, 0.99, [](const auto& x) { return ref::acos(x); },
                               [](double x) { return std::acos(x); }, [](double) { return 5.0; }, none},
                      Function{"sinpi", -1, 1, [](const auto& x) { return ref::sinpi(x); },
                               [](double x) { return std::sin(M_PI * x); }, none,
                               [](double) { return 0x1p-13; }},
                      Function{"cospi", -1, 1, [](const auto& x) { return ref::cospi(x); },
                               [](double x) { return std::cos(M_PI * x); }, none,
                               [](double) { return 0x1p-13; }},
                      Function{"atan", -100, 100, [](const auto& x) { return ref::atan(x); },
                               [](double x) { return std::atan(x); }, [](double) { return 5.0; }, none},
                      Function{"max", -9, 9, [](const auto& x) { return ref::max(x, ref::Number(0.5)); },
                               [](double x) { return std::max(x, 0.5); }, none, none}),
    [](const auto& info) { return info.param.name; });

// Functions that fast math makes of others: evaluated as it says, in floats, each step with all that it is
// granted.
float exp_of_fast_math(float x, double direction) {
  return static_cast<float>(
      moved(std::exp(static_cast<double>(x)), direction * of_power(static_cast<double>(x))));
}

TEST(Composite, TanhAsFastMathMakesItOfExpLiesInside) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> spread(-12, 12), unit(-1, 1);
  Tightness tightness;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto x = static_cast<float>(i % 2 == 0 ? spread(random) : spread(random) / 1000);
    const float t = exp_of_fast_math(2 * x, i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : unit(random));
    const float quotient = static_cast<float>(
        moved(static_cast<double>(t - 1.0f) / static_cast<double>(t + 1.0f), 2.5 * unit(random)));
    tightness.take(ref::tanh(ref::Number::exactly(static_cast<double>(x))), static_cast<double>(quotient));
  }
  tightness.expect_honest_and_tight(kEvaluations);
}

TEST(Composite, SinhAsFastMathMakesItOfExpLiesInside) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> spread(-40, 40), unit(-1, 1);
  Tightness tightness;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto x = static_cast<float>(i % 2 == 0 ? spread(random) : spread(random) / 1000);
    const float up = exp_of_fast_math(x, unit(random)), down = exp_of_fast_math(-x, unit(random));
    tightness.take(ref::sinh(ref::Number::exactly(static_cast<double>(x))),
                   static_cast<double>(0.5f * (up - down)));
  }
  tightness.expect_honest_and_tight(kEvaluations);
}

TEST(Composite, CoshAsFastMathMakesItOfExpLiesInside) {
  std::mt19937_64 random(14);
  std::uniform_real_distribution<double> spread(-40, 40), unit(-1, 1);
  Tightness tightness;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto x = static_cast<float>(i % 2 == 0 ? spread(random) : spread(random) / 1000);
    const double direction = i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : unit(random);
    const float up = exp_of_fast_math(x, direction), down = exp_of_fast_math(-x, direction);
    tightness.take(ref::cosh(ref::Number::exactly(static_cast<double>(x))),
                   static_cast<double>(0.5f * (up + down)));
  }
  tightness.expect_honest_and_tight(kEvaluations);
}

// exp2(x * log2(10)), whose product and constant are floats.
TEST(Composite, Exp10AsFastMathMakesItOfExp2LiesInside) {
  std::mt19937_64 random(15);
  std::uniform_real_distribution<double> spread(-30, 30), unit(-1, 1);
  const auto turn = static_cast<float>(std::log2(10.0));
  Tightness tightness;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto x = static_cast<float>(i % 2 == 0 ? spread(random) : spread(random) / 1000);
    const float turned = x * turn;
    const double direction = i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : unit(random);
    tightness.take(
        ref::exp10(ref::Number::exactly(static_cast<double>(x))),
        moved(std::exp2(static_cast<double>(turned)), direction * of_power(static_cast<double>(turned))));
  }
  tightness.expect_honest_and_tight(kEvaluations);
}

// log2(x) * log10(2), whose constant is a float.
TEST(Composite, Log10AsFastMathMakesItOfLog2LiesInside) {
  std::mt19937_64 random(16);
  std::uniform_real_distribution<double> exponents(-60, 60), unit(-1, 1);
  const auto turn = static_cast<float>(std::log10(2.0));
  Tightness tightness;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto x = static_cast<float>(std::exp2(i % 2 == 0 ? exponents(random) : exponents(random) / 60));
    const double direction = i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : unit(random);
    const double at = static_cast<double>(x);
    const auto logarithm =
        static_cast<float>(moved(std::log2(at), direction * away_from_one(at)) + direction * near_one(at));
    tightness.take(ref::log10(ref::Number::exactly(at)), static_cast<double>(logarithm * turn));
  }
  tightness.expect_honest_and_tight(kEvaluations);
}

TEST(Composite, PowAsFastMathMakesItOfLogarithmsLiesInside) {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> bases(0.01, 20), exponents(-8, 8), unit(-1, 1);
  Tightness tightness;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto x = static_cast<float>(bases(random)), y = static_cast<float>(exponents(random));
    const double direction = i % 2 == 0 ? 1 : unit(random);
    const double exact = std::log2(static_cast<double>(x));
    const auto logarithm =
        static_cast<float>(moved(exact, direction * away_from_one(static_cast<double>(x))) +
                           direction * near_one(static_cast<double>(x)));
    const float power = y * logarithm;
    const double got =
        moved(std::exp2(static_cast<double>(power)), direction * of_power(static_cast<double>(power)));
    tightness.take(
        ref::pow(ref::Number::exactly(static_cast<double>(x)), ref::Number::exactly(static_cast<double>(y))),
        got);
  }
  tightness.expect_honest_and_tight(kEvaluations);
}

// Where Metal's tables promise nothing, neither does the bound.
TEST(Functions, NothingIsSaidOfWhatNothingIsPromisedOf) {
  EXPECT_TRUE((ref::Number::exactly(1) / ref::Number::around(0.5, 0.6)).is_unknown());
  EXPECT_TRUE(ref::log(ref::Number::around(0.5, 0.6)).is_unknown());
  EXPECT_TRUE((ref::Number::exactly(3e38) * ref::Number::around(1.1, 0.05)).is_unknown());
}

// Beyond pi fast math promises nothing of a kernel's sine; what is right is the sine all the same.
TEST(Functions, ASineBeyondPiIsAskedFor) {
  for (const double x : {3.2, -7.5, 4000.0}) {
    const auto sine = ref::sin(ref::Number::exactly(x));
    EXPECT_NEAR(sine.value(), std::sin(x), 1e-12);
    EXPECT_GE(sine.radius(), 0x1p-13);
    EXPECT_LE(sine.radius(), 0x1p-13 + 4 * x * x * 0x1p-24);
  }
}

TEST(Functions, InfinitiesAndNaNAreWhatIeeeHas) {
  const auto infinite = ref::Number::exactly(INFINITY);
  EXPECT_TRUE((infinite - infinite).is_nan());
  EXPECT_TRUE((infinite * 0).is_nan());
  EXPECT_EQ((infinite + 1).value(), INFINITY);
  EXPECT_EQ(ref::exp(-infinite).value(), 0);
  EXPECT_EQ(ref::exp(-infinite).radius(), 0);
  EXPECT_EQ(ref::max(ref::Number::exactly(NAN), ref::Number(2)).value(), 2);
  EXPECT_TRUE(ref::sqrt(ref::Number(-1)).is_nan());
}

}  // namespace
}  // namespace assay::oracle::testing
