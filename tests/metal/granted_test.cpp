// Numerics::approximate: functions and quotients are as far off as Metal's tables for fast math grant.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

constexpr std::size_t kArguments = 512;

std::vector<float> drawn(float low, float high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> one(low, high);
  std::vector<float> values(kArguments);
  for (float& value : values) value = one(random);
  return values;
}

std::vector<float> computed(const std::string& body, const std::vector<float>& a, const std::vector<float>& b,
                            Numerics numerics) {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "k.metal",
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "kernel void k(device const float* as [[buffer(0)]], device const float* bs [[buffer(1)]],\n"
      "              device float* out [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
      "  const float a = as[i], b = bs[i];\n  float r = a;\n  " +
          body + "\n  out[i] = r;\n}\n");
  KernelRun kernel(file, "k");
  kernel.buffer(0, a).buffer(1, b).buffer(2, std::vector<float>(kArguments));
  kernel.grid({1, 1, 1}, {unsigned(kArguments), 1, 1});
  return kernel.run(simulator::Mode::fast, numerics).values<float>(2);
}

double ulp(double value) { return std::ldexp(1.0, std::ilogb(value) - 23); }

/// A function, and how far off it may be at an argument.
struct Function {
  std::string name, body;
  float low, high;
  std::function<double(double, double)> exact, granted;
};
void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

double of_log(double x, double result) { return x >= 0.5 && x <= 2 ? 0x1p-21 : 3 * ulp(result); }
double of_power(double x, double result) { return (3 + std::floor(std::fabs(2 * x))) * ulp(result); }

const std::vector<Function> kFunctions = {
    {"quotient", "r = a / b;", 1, 100, [](double a, double b) { return a / b; },
     [](double, double r) { return 2.5 * ulp(r); }},
    {"assigned_quotient", "r /= b;", 1, 100, [](double a, double b) { return a / b; },
     [](double, double r) { return 2.5 * ulp(r); }},
    {"divide", "r = fast::divide(a, b);", 1, 100, [](double a, double b) { return a / b; },
     [](double, double r) { return 2.5 * ulp(r); }},
    {"quotient_of_vectors", "r = (float3(a, b, a) / float3(b, a, b)).z;", 1, 100,
     [](double a, double b) { return a / b; }, [](double, double r) { return 2.5 * ulp(r); }},
    {"exp", "r = exp(a);", -20, 20, [](double a, double) { return std::exp(a); }, of_power},
    {"exp_of_vectors", "r = fast::exp(float2(b, a)).y;", -20, 20,
     [](double a, double) { return std::exp(a); }, of_power},
    {"exp2", "r = exp2(a);", -20, 20, [](double a, double) { return std::exp2(a); }, of_power},
    {"log", "r = log(a);", 0.1F, 8, [](double a, double) { return std::log(a); }, of_log},
    {"log2", "r = log2(a);", 0.1F, 8, [](double a, double) { return std::log2(a); }, of_log},
    {"rsqrt", "r = rsqrt(a);", 0.1F, 8, [](double a, double) { return 1 / std::sqrt(a); },
     [](double, double r) { return 2 * ulp(r); }},
    {"sqrt", "r = sqrt(a);", 0.1F, 8, [](double a, double) { return std::sqrt(a); },
     [](double, double r) { return 5 * ulp(r); }},
    {"sin", "r = sin(a);", -3.1F, 3.1F, [](double a, double) { return std::sin(a); },
     [](double, double) { return 0x1p-13; }},
    {"cos", "r = cos(a);", -3.1F, 3.1F, [](double a, double) { return std::cos(a); },
     [](double, double) { return 0x1p-13; }},
    {"atan", "r = atan(a);", -9, 9, [](double a, double) { return std::atan(a); },
     [](double, double r) { return 5 * ulp(r); }},
};

class Granted : public testing::TestWithParam<Function> {};
INSTANTIATE_TEST_SUITE_P(Functions, Granted, testing::ValuesIn(kFunctions),
                         [](const auto& one) { return one.param.name; });

TEST_P(Granted, IsUsedOnBothSidesAndNeverExceeded) {
  const auto& function = GetParam();
  const auto a = drawn(function.low, function.high, 1), b = drawn(function.low, function.high, 2);
  const auto out = computed(function.body, a, b, Numerics::approximate);
  double least = 0, most = 0;
  for (std::size_t i = 0; i < kArguments; ++i) {
    const double exact = function.exact(double(a[i]), double(b[i]));
    const double error = double(out[i]) - exact;
    least = std::min(least, error / ulp(exact));
    most = std::max(most, error / ulp(exact));
    ASSERT_LE(std::fabs(error), function.granted(double(a[i]), exact)) << a[i] << ", " << b[i];
  }
  EXPECT_LT(least, -0.8);
  EXPECT_GT(most, 0.8);
  EXPECT_EQ(out, computed(function.body, a, b, Numerics::approximate)) << "the same of the same arguments";
}

// What has no error, and what no table of fast math is about.
TEST(Granted, IsNothingWhereAFunctionIsExactOrPrecise) {
  const auto a = drawn(0.5F, 9, 1), b = drawn(0.5F, 9, 2);
  for (const char* body :
       {"r = precise::exp(a) + precise::divide(a, b) + precise::log2(b);",
        "r = precise::sin(float2(a, b)).y;", "float c; r = precise::sincos(a, c) + c;",
        "r = a / 4 + b / 8.0f;", "r = float(half(a) / half(b));",
        "r = exp(a - a) + log(b / b * 0 + 1) + sin(a - a) + cos(a - a) + exp2(a - a) + tanh(a - a);",
        "constexpr float k = exp(2.0f) / 3.0f; r = a * k;", "r = float(exp(half(a)));",
        "r = fmod(a, b) + fract(a) + floor(b);", "r = float(uint(a * 9) / uint(b * 2));",
        "\n#pragma METAL fp math_mode(safe)\n  r = a / b;"}) {
    EXPECT_EQ(computed(body, a, b, Numerics::approximate), computed(body, a, b, Numerics::strict)) << body;
  }
}

TEST(Granted, AreTheFormulasOfTheTable) {
  const std::vector<float> a(kArguments, -2), b(kArguments, 50);
  const auto one = [&](const char* body) { return computed(body, a, b, Numerics::approximate)[0]; };
  EXPECT_TRUE(std::isnan(one("r = pow(a, 2.0f);")));
  EXPECT_FALSE(std::isnan(one("r = precise::pow(a, 2.0f);")));
  EXPECT_TRUE(std::isnan(one("r = tanh(b);")));
  EXPECT_EQ(one("r = precise::tanh(b);"), 1);
  EXPECT_NEAR(one("r = tanh(a);"), -0.96402758F, 1e-5);
  EXPECT_NEAR(one("r = pow(b, a);"), 4e-4F, 1e-8);
}

// Beyond pi a fast sine is promised nothing.
TEST(Granted, IsAnythingBeyondPi) {
  const auto a = drawn(1000, 4000, 1);
  const auto fast = computed("r = fast::sin(a);", a, a, Numerics::approximate);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kArguments; ++i)
    wrong += std::fabs(double(fast[i]) - std::sin(double(a[i]))) > 0.01;
  EXPECT_GT(wrong, kArguments / 2);
}

// An index that is made of floats, too.
TEST(Granted, ReachesQuotientsInAnIndex) {
  std::vector<float> a(kArguments), b(kArguments, 41);
  for (std::size_t i = 0; i < kArguments; ++i) a[i] = float(41 * i);
  const auto rounded = computed("r = as[uint(a / b)];", a, b, Numerics::approximate);
  EXPECT_NE(rounded, computed("r = as[uint(a / b)];", a, b, Numerics::strict));
}

TEST(Granted, ChangesNothingOfAKernelWithoutFunctionsAndQuotients) {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "k.metal",
      "kernel void plain(device float* a [[buffer(0)]], constant uint& n [[buffer(1)]],\n"
      "                  uint i [[thread_position_in_grid]]) { a[i / n] = a[i] * 2 + a[i % n]; }\n"
      "kernel void divides(device float* a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] /= "
      "a[0]; }\n");
  const KernelRun same(file, "plain"), other(file, "divides");
  EXPECT_TRUE(same_code(KernelRun(same).source(), Numerics::strict, Numerics::approximate));
  EXPECT_FALSE(same_code(KernelRun(other).source(), Numerics::strict, Numerics::approximate));
}

// Two passes write into the parentheses of such a conversion.
TEST(Granted, AQuotientInAConversionToAWideIntegerCompiles) {
  const auto a = drawn(1, 100, 3), b = drawn(1, 100, 4);
  const auto got =
      computed("r = float(ulong(uint(a) / uint(b)) * 3 + ulong(a));", a, b, Numerics::approximate);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(got[i], float(unsigned(a[i]) / unsigned(b[i]) * 3 + unsigned(a[i]))) << a[i] << ", " << b[i];
}

}  // namespace
}  // namespace assay::metal
