// Bounds of precise math: evaluations that use up what Metal's table of precise math grants, in either
// direction. Compiled by itself, with the references' own switch; the headers' names stay apart from those of
// fast math. Varied: the function, its argument over all magnitudes, and errors of the argument.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#define ASSAY_PRECISE 1
#define assay_reference assay_precise_reference
#include "assay/reference/functions.h"
#undef assay_reference
#include "tests/oracle/bounds.hpp"

namespace assay::oracle::testing {
namespace {

namespace precise = assay_precise_reference;

constexpr int kEach = 1'000'000;

struct PreciseFunction {
  std::string name;
  double low, high;  ///< of arguments
  double ulps;       ///< as the table has it; 0: rounded correctly
  std::function<precise::Number(const precise::Number&)> bound;
  std::function<double(double)> exact;
};

class OfPreciseTable : public ::testing::TestWithParam<PreciseFunction> {};

TEST_P(OfPreciseTable, EvaluationsThatUseUpWhatIsGrantedLieInside) {
  const PreciseFunction& function = GetParam();
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> spread(function.low, function.high), unit(-1, 1);
  Tightness tightness;
  for (int i = 0; i < kEach; ++i) {
    const auto x = static_cast<float>(i % 5 == 0 ? spread(random) / 1000 : spread(random));
    if (x < function.low || x > function.high) continue;
    const double radius = i % 2 == 0 ? 0 : std::fabs(static_cast<double>(x)) * 0x1p-20;
    const double reached = static_cast<double>(x) + radius * unit(random);
    if (reached < function.low || reached > function.high) continue;
    const double exact = function.exact(reached);
    const double step = std::ldexp(1.0, std::max(exact == 0 ? -126 : std::ilogb(exact), -126) - 23);
    const double direction = i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : unit(random);
    const auto rounded = static_cast<double>(static_cast<float>(exact));
    const double got = function.ulps == 0 ? rounded : exact + direction * function.ulps * step;
    tightness.take(function.bound(precise::Number::around(static_cast<double>(x), radius)), got);
  }
  tightness.expect_honest_and_tight(kEach / 2);
}

#define ASSAY_PRECISE_CASE(name, low, high, ulps)                                             \
  PreciseFunction {                                                                           \
#name, low, high, ulps,                                                                   \
        [](const auto& x) { return precise::name(x); }, [](double x) { return std::name(x); } \
  }

INSTANTIATE_TEST_SUITE_P(
    Precise, OfPreciseTable,
    ::testing::Values(ASSAY_PRECISE_CASE(exp, -80, 80, 4), ASSAY_PRECISE_CASE(exp2, -120, 120, 4),
                      ASSAY_PRECISE_CASE(log, 1e-20, 1e20, 4), ASSAY_PRECISE_CASE(log2, 1e-3, 1e3, 4),
                      ASSAY_PRECISE_CASE(log10, 1e-3, 1e3, 4), ASSAY_PRECISE_CASE(sqrt, 0, 1e30, 0),
                      ASSAY_PRECISE_CASE(sin, -1e4, 1e4, 4), ASSAY_PRECISE_CASE(cos, -1e4, 1e4, 4),
                      ASSAY_PRECISE_CASE(tanh, -12, 12, 5), ASSAY_PRECISE_CASE(sinh, -80, 80, 4),
                      ASSAY_PRECISE_CASE(cosh, -80, 80, 4), ASSAY_PRECISE_CASE(asin, -0.99, 0.99, 4),
                      ASSAY_PRECISE_CASE(acos, -0.99, 0.99, 4), ASSAY_PRECISE_CASE(atan, -100, 100, 5),
                      PreciseFunction{"exp10", -30, 30, 4, [](const auto& x) { return precise::exp10(x); },
                                      [](double x) { return std::pow(10.0, x); }},
                      PreciseFunction{"rsqrt", 1e-30, 1e30, 0,
                                      [](const auto& x) { return precise::rsqrt(x); },
                                      [](double x) { return 1 / std::sqrt(x); }},
                      PreciseFunction{"reciprocal", 1e-30, 1e30, 0, [](const auto& x) { return 1 / x; },
                                      [](double x) { return 1 / x; }},
                      PreciseFunction{"sinpi", -100, 100, 4, [](const auto& x) { return precise::sinpi(x); },
                                      [](double x) { return std::sin(M_PI * (x - 2 * std::rint(x / 2))); }},
                      PreciseFunction{"cospi", -100, 100, 4, [](const auto& x) { return precise::cospi(x); },
                                      [](double x) { return std::cos(M_PI * (x - 2 * std::rint(x / 2))); }},
                      PreciseFunction{"pow_2_5", 0.01, 100, 16,
                                      [](const auto& x) { return precise::pow(x, precise::Number(2.5)); },
                                      [](double x) { return std::pow(x, 2.5); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay::oracle::testing
