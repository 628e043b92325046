// What Metal leaves undefined, and what fast math grants, through the whole program: the verdict of small
// kernels against what is right.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;

/// A kernel y[i] = ..., of x[i], which is any number from -6 to 6, and of zero[0] = 0.
struct Kernel {
  std::string name, body, reference, verdict, words, accept = {};
};
void PrintTo(const Kernel& kernel, std::ostream* out) { *out << kernel.name; }

const std::string kUndefined = "UNDEFINED OPERATION", kWrong = "WRONG RESULT", kPass;

const std::vector<Kernel> kKernels = {
    // Undefined where it happens.
    {"shift_of_a_vector", "y[i] = float((uint2(1, 1) << uint2(z, i % 2 * 32 + z)).y & 1);", "y(i) = 1;",
     kUndefined, "a shift by 32"},
    {"shift_in_a_constant", "y[i] = float(((z + 1) << (4 * 8)) + 1);", "y(i) = 1;", kUndefined,
     "a shift by 32"},
    {"shift_by_all_bits", "y[i] = float((2u << (i % 31)) >> (i % 31 + z));", "y(i) = 2;", kPass, ""},
    {"half_to_int", "y[i] = float(int(half(1.0f / float(z))));", "y(i) = 0;", kUndefined,
     "a conversion of inf"},
    {"uchar_of_a_sum", "y[i] = float(uchar(250.0f + float(i)));", "y(i) = i < 6 ? 250 + i : 255;", kUndefined,
     "a conversion of 256"},
    {"uchar_that_saturates", "y[i] = float(uchar(250.0f + float(i)));", "y(i) = i < 6 ? 250 + i : 255;",
     kPass, "", "saturating_conversions"},
    // Undefined where it matters.
    {"rest_by_zero", "y[i] = float((i + 1) % (i % 2 + z));", "y(i) = 0;", kUndefined, "divided by zero"},
    {"rest_by_zero_unused",
     "const uint r = (i + 1) % (i % 2 + z); y[i] = select(float(r), 7.0f, i % 2 == 0);",
     "y(i) = i % 2 == 0 ? 7 : 0;", kPass, ""},
    {"least_by_minus_one", "y[i] = float(int(0x80000000u + z) % (int(z) - 1));", "y(i) = 0;", kUndefined,
     "by -1"},
    {"abs_of_the_least", "y[i] = float(abs(int(0x80000000u + z)));", "y(i) = 2147483648;", kUndefined,
     "beyond what its type holds"},
    {"sum_that_wraps", "const int most = abs(int(0x7FFFFFFFu - z)); y[i] = float((most + int(i % 2)) / 2);",
     "y(i) = i % 2 == 0 ? 1073741823 : -1073741824;", kUndefined, "beyond what its type holds"},
    {"sum_that_wraps_unused",
     "const int s = int(0x7FFFFFFFu - z) + int(i % 2); y[i] = i % 2 == 1 ? 3.0f : float(s);",
     "y(i) = i % 2 == 1 ? 3 : 2147483648;", kPass, ""},
    {"hash_in_unsigned", "y[i] = float((i * 2654435761u) >> 28);",
     "y(i) = (i * 2654435761) % 4294967296 / 268435456;", kPass, ""},
    {"division_by_zero_as_an_index", "y[i] = x[(i + 1) / (i % 2 + z) % N] * 0 + 1;", "y(i) = 1;", kPass, ""},
    // Fast functions.
    {"exp_beyond", "y[i] = exp(x[i] * 40) / (1 + exp(x[i] * 40));",
     "const Number t = exp(-abs(x(i)) * 40);"
     "y(i) = x(i) < 0 ? t / (1 + t) : 1 / (1 + t);",
     kWrong, ""},
    {"exp_that_is_made_smaller",
     "const float t = exp(-abs(x[i]) * 40); y[i] = x[i] < 0 ? t / (1 + t) : 1 / (1 + t);",
     "const Number t = exp(-abs(x(i)) * 40); y(i) = x(i) < 0 ? t / (1 + t) : 1 / (1 + t);", kPass, ""},
    {"fast_divide_floor", "y[i] = floor(fast::divide(float(i) * 41, float(41 + z)));", "y(i) = i;", kWrong,
     "Only approximate arithmetic shows this"},
    {"precise_divide_floor", "y[i] = floor(precise::divide(float(i) * 41, float(41 + z)));", "y(i) = i;",
     kPass, ""},
    {"division_by_a_power_of_two", "y[i] = floor(float(i) / 32);", "y(i) = i / 32;", kPass, ""},
    {"division_in_an_index", "y[i] = x[uint(float(i * 41) / float(41 + z))];", "y(i) = x(i);", kWrong,
     "Only approximate arithmetic shows this"},
    {"rsqrt_of_a_square", "y[i] = rsqrt(float(1u << (i % 12 * 2))) * float(1u << (i % 12)) == 1;",
     "y(i) = 1;", kWrong, "Only approximate arithmetic shows this"},
    {"rsqrt", "y[i] = rsqrt(float(i + 1));", "y(i) = rsqrt(Number(i + 1));", kPass, ""},
    {"pow_of_negative", "y[i] = pow(x[i] - 7, 2.0f);", "y(i) = (7 - x(i)) * (7 - x(i));", kWrong,
     "Only approximate arithmetic shows this"},
    {"powr", "y[i] = powr(x[i] + 7, 2.5f);", "y(i) = pow(x(i) + 7, 2.5);", kPass, ""},
    {"log_of_negative", "y[i] = i % 2 == 0 ? log(x[i] - 8) : 1;", "y(i) = i % 2 == 0 ? log(x(i) - 8) : 1;",
     kPass, ""},
    {"floor_of_log2", "y[i] = floor(log2(float(1u << (i % 31))));", "y(i) = i % 31;", kWrong,
     "Only approximate arithmetic shows this"},
    {"sinpi", "y[i] = sinpi(x[i] / 8);", "y(i) = sinpi(x(i) / 8);", kPass, ""},
    {"fast_sin_of_thousands", "y[i] = fast::sin(float(i + 1000));", "y(i) = sin(Number(i + 1000));", kWrong,
     "Only approximate arithmetic shows this"},
    {"precise_sin_of_thousands", "y[i] = precise::sin(float(i + 1000));", "y(i) = sin(Number(i + 1000));",
     kPass, ""},
    {"tanh_beyond", "y[i] = tanh(x[i] * 20);", "y(i) = tanh(x(i) * 20);", kWrong,
     "Only approximate arithmetic shows this"},
    {"tanh_within", "y[i] = tanh(clamp(x[i] * 20, -15.0f, 15.0f));", "y(i) = tanh(x(i) * 20);", kPass, ""},
    {"softmax_of_two",
     "const float m = max(x[i], 1.0f), p = exp(x[i] - m), q = exp(1 - m); y[i] = p / (p + q);",
     "const Number m = max(x(i), 1), p = exp(x(i) - m), q = exp(1 - m); y(i) = p / (p + q);", kPass, ""},
};

class Verdicts : public testing::TestWithParam<Kernel> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Verdicts, testing::ValuesIn(kKernels),
                         [](const auto& one) { return one.param.name; });

TEST_P(Verdicts, AreWhatMetalSays) {
  const Kernel& kernel = GetParam();
  const Scratch scratch;
  scratch.write("k.metal",
                kHead +
                    "kernel void k(device const float* x [[buffer(0)]],\n"
                    "              device const uint* zero [[buffer(1)]], device float* y [[buffer(2)]],\n"
                    "              constant uint& N [[buffer(3)]], uint i [[thread_position_in_grid]]) {\n"
                    "  if (i >= N) return;\n  const uint z = zero[0];\n  " +
                    kernel.body + "\n}\n");
  scratch.write("reference.cpp",
                "void reference() {\n  each(N, [&](Index i) { " + kernel.reference + " });\n}\n");
  scratch.write(
      "m.toml",
      "[[operation]]\nname = \"o\"\nreference = \"reference.cpp\"\n"
      "dimensions = [{ name = \"N\", values = [200] }]\ntensors = [\n"
      "  { name = \"x\", type = \"float\", shape = [\"N\"], values = { from = -6, to = 6 } },\n"
      "  { name = \"zero\", type = \"uint\", shape = [1], values = \"zeros\" },\n"
      "  { name = \"y\", type = \"float\", shape = [\"N\"], access = \"out\" },\n]\n"
      "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"o\"\n"
      "arguments = [\"x\", \"zero\", \"y\", \"N\"]\nthreads_per_threadgroup = 64\ngrid = [\"N\", 1, 1]\n"
      "grid_unit = \"threads\"\n" +
          (kernel.accept.empty() ? "" : "accept = [\"" + kernel.accept + "\"]\n"));
  const auto result = assay({"verify", "--cases", "4", "--manifest", (scratch / "m.toml").string()});
  const auto words = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
  EXPECT_EQ(result.exit_code, kernel.verdict == kPass ? 0 : 1) << words;
  EXPECT_THAT(words, HasSubstr(kernel.verdict));
  EXPECT_THAT(words, HasSubstr(kernel.words));
}

}  // namespace
}  // namespace assay::end_to_end
