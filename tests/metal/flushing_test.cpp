// Numerics::flushed: subnormal operands and results of arithmetic are zero of their sign, and nothing else
// is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

constexpr std::size_t kNumbers = 512;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
template <class T>
constexpr int kMantissaBits = sizeof(T) == 2 ? 10 : 23;
template <class T>
const T kSmallestNormal = T(sizeof(T) == 2 ? 0x1p-14F : 0x1p-126F);

// Numbers of both signs around the smallest normal one, and up to its root, so that products are too.
template <class T>
std::vector<T> around_the_smallest(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(kNumbers);
  for (auto& value : values) {
    const unsigned exponent = random() % (random() % 2 ? 3 : sizeof(T) == 2 ? 16 : 140);
    const unsigned fraction = random() & ((1U << kMantissaBits<T>)-1) & random();
    value = std::bit_cast<T>(
        BitsOf<T>((random() % 2) << (8 * sizeof(T) - 1) | exponent << kMantissaBits<T> | fraction));
  }
  return values;
}

template <class T>
T flush(T x) {
  return std::fabs(float(x)) < float(kSmallestNormal<T>) ? T(std::copysign(0.0F, float(x))) : x;
}

template <class T>
struct FlushingInputs {
  std::vector<T> a = around_the_smallest<T>(1), b = around_the_smallest<T>(2), c = around_the_smallest<T>(3);
};

// out[i] = what the body makes of a, b and c, which are vectors of `width`.
template <class T>
std::vector<T> computed(const std::string& type, unsigned width, const std::string& body,
                        Numerics numerics = Numerics::flushed) {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "k.metal",
      "#include <metal_stdlib>\nusing namespace metal;\ntypedef " + type +
          " T;\nkernel void k(device const T* as [[buffer(0)]], device const T* bs [[buffer(1)]],\n"
          "              device const T* cs [[buffer(2)]], device T* out [[buffer(3)]],\n"
          "              uint i [[thread_position_in_grid]]) {\n"
          "  const T a = as[i], b = bs[i], c = cs[i];\n  T r = c;\n  " +
          body + "\n  out[i] = r;\n}\n");
  KernelRun kernel(file, "k");
  const FlushingInputs<T> in;
  kernel.buffer(0, in.a).buffer(1, in.b).buffer(2, in.c).buffer(3, std::vector<T>(kNumbers));
  kernel.grid({1, 1, 1}, {unsigned(kNumbers) / width, 1, 1});
  return kernel.run(simulator::Mode::fast, numerics).template values<T>(3);
}

template <class T>
void expect_bits(const std::vector<T>& out, const std::string& what, auto&& right) {
  const FlushingInputs<T> in;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const T expected = right(in.a[i], in.b[i], in.c[i]);
    if (std::isnan(float(expected)) && std::isnan(float(out[i]))) continue;
    ASSERT_EQ(std::bit_cast<BitsOf<T>>(out[i]), std::bit_cast<BitsOf<T>>(expected))
        << what << " of " << float(in.a[i]) << ", " << float(in.b[i]) << ", " << float(in.c[i]) << " at "
        << i;
  }
}

template <class T>
void expect_arithmetic(const std::string& type, unsigned width) {
  const auto sum = [](T x, T y) { return flush(T(flush(x) + flush(y))); };
  const auto difference = [](T x, T y) { return flush(T(flush(x) - flush(y))); };
  const auto product = [](T x, T y) { return flush(T(flush(x) * flush(y))); };
  const auto quotient = [](T x, T y) { return flush(T(flush(x) / flush(y))); };
  const auto expect = [&](const std::string& body, auto&& right) {
    expect_bits(computed<T>(type, width, body), type + ": " + body, right);
  };
  expect("r = a + b;", [&](T a, T b, T) { return sum(a, b); });
  expect("r = a - b;", [&](T a, T b, T) { return difference(a, b); });
  expect("r = a * b;", [&](T a, T b, T) { return product(a, b); });
  expect("r = a / b;", [&](T a, T b, T) { return quotient(a, b); });
  expect("r = a * b + c * (a - b);",
         [&](T a, T b, T c) { return sum(product(a, b), product(c, difference(a, b))); });
  expect("r += a; r *= b;", [&](T a, T b, T c) { return product(sum(c, a), b); });
  expect("r -= a; r /= b;", [&](T a, T b, T c) { return quotient(difference(c, a), b); });
  expect("r = r - a - b;", [&](T a, T b, T c) { return difference(difference(c, a), b); });
  // What is moved, negated or chosen keeps its bits.
  expect("r = a;", [&](T a, T, T) { return a; });
  expect("r = -a;", [&](T a, T, T) { return -a; });
  expect("r = fabs(a);", [&](T a, T, T) { return T(std::fabs(float(a))); });
  expect("r = select(a, b, c == c);", [&](T, T b, T) { return b; });
  if (sizeof(T) == 2) {
    expect("r = copysign(a, b);", [&](T a, T b, T) { return T(std::copysign(float(a), float(b))); });
    expect("r = fma(a, b, c);", [&](T a, T b, T c) {
      const T x = flush(a), y = flush(b), z = flush(c);
      return flush(T(double(float(x)) * double(float(y)) + double(float(z))));
    });
  }
}

TEST(Flushing, ScalarHalves) { expect_arithmetic<Half>("half", 1); }
TEST(Flushing, VectorsOfHalf) {
  expect_arithmetic<Half>("half2", 2);
  expect_arithmetic<Half>("half4", 4);
}
TEST(Flushing, Floats) { expect_arithmetic<float>("float", 1); }
TEST(Flushing, VectorsOfFloat) { expect_arithmetic<float>("float4", 4); }

// A half that is an operand of a float, or comes of one, is converted: exactly, as GPUs do it.
TEST(Flushing, ConversionsAreExact) {
  expect_bits(computed<Half>("half", 1, "r = half(float(a) * 2.0f);"), "converted",
              [](Half a, Half, Half) { return Half(float(a) * 2); });
  expect_bits(computed<Half>("half", 1, "r = half(a * 2.0f);"), "promoted",
              [](Half a, Half, Half) { return Half(float(a) * 2); });
  expect_bits(computed<Half>("half", 1, "r = as_type<half>(ushort(as_type<ushort>(a) ^ 1));"), "by bits",
              [](Half a, Half, Half) {
                return std::bit_cast<Half>(BitsOf<Half>(std::bit_cast<BitsOf<Half>>(a) ^ 1));
              });
}

// Nothing of it is left behind: not for what runs next, and not for the host.
TEST(Flushing, IsOfTheKernelAlone) {
  const auto kept = [](float a, float b, float) { return a + b; };
  expect_bits(computed<float>("float", 1, "r = a + b;"), "flushed",
              [](float a, float b, float) { return flush(flush(a) + flush(b)); });
  const volatile float small = 0x1p-140F, two = 2;
  EXPECT_EQ(small * two, 0x1p-139F);
  expect_bits(computed<float>("float", 1, "r = a + b;", Numerics::strict), "kept", kept);
}

// Lanes that wait for one another go on as they began.
TEST(Flushing, LastsAcrossBarriers) {
  expect_bits(computed<float>("float", 1, "threadgroup_barrier(mem_flags::mem_none); r = a * b;"),
              "behind a barrier", [](float a, float b, float) { return flush(flush(a) * flush(b)); });
}

TEST(Flushing, PlacesOfHalvesThatAreNoVariables) {
  expect_bits(
      computed<Half>("half", 1,
                     "half4 v(c); struct { half h; uint low : 3; } s; s.h = a; s.low = 1; s.low += 2;\n"
                     "thread half* p = &v.y; *p += b; s.h += v[1]; (r) = s.h + half(s.low - 3);"),
      "places", [](Half a, Half b, Half c) {
        const Half first = flush(Half(flush(c) + flush(b)));
        return flush(Half(flush(Half(flush(a) + first)) + Half(0)));
      });
}

// Components that lie apart, one of them, and members that only look like them.
TEST(Flushing, ComponentsThatAreChanged) {
  const auto sum = [](Half a, Half b, Half) { return flush(Half(flush(a) + flush(b))); };
  expect_bits(computed<Half>("half", 1, "half4 v(a); v.wx += half2(b); r = v.x;"), "two", sum);
  expect_bits(computed<Half>("half", 1, "half4 v(a); v.wx[1] += i < 1u << 31 ? b : c; r = v.x;"), "one", sum);
  expect_bits(computed<Half>("half", 1,
                             "struct { half bar; short ab; } s; s.bar = a; s.ab = 1;\n"
                             "s.ab += 2; s.bar += s.ab == 3 ? b : c; r = s.bar;"),
              "members", sum);
}

// Of each type of matrix, an operand alone in its sum: a subnormal half is nothing, one of a float matrix is.
TEST(Flushing, MatricesOfHalf) {
  const TemporaryDirectory directory;
  for (const std::string distributed : {"", "  m.thread_elements();\n"}) {
    const auto file = directory.write(
        "k" + std::to_string(distributed.size()) + ".metal",
        "#include <metal_stdlib>\nusing namespace metal;\n"
        "kernel void k(device const half* a [[buffer(0)]], device float* sums [[buffer(1)]],\n"
        "              device half* halves [[buffer(2)]]) {\n"
        "  simdgroup_half8x8 m, one(1.0h), r;\n  simdgroup_float8x8 s;\n" +
            distributed +
            "  simdgroup_load(m, a, 8);\n"
            "  simdgroup_multiply(s, m, one);\n  simdgroup_store(s, sums, 8);\n"
            "  simdgroup_multiply(r, m, one);\n  simdgroup_store(r, halves, 8);\n}\n");
    KernelRun kernel(file, "k");
    auto a = around_the_smallest<Half>(7);
    a.resize(64);
    kernel.buffer(0, a).buffer(1, std::vector<float>(64)).buffer(2, std::vector<Half>(64));
    kernel.grid({1, 1, 1}, {32, 1, 1});
    const auto flushed = kernel.run(simulator::Mode::fast, Numerics::flushed);
    const auto kept = kernel.run(simulator::Mode::fast);
    std::size_t telling = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_EQ(flushed.values<float>(1)[i], float(flush(a[i]))) << i;
      EXPECT_EQ(float(flushed.values<Half>(2)[i]), float(flush(a[i]))) << i;
      EXPECT_EQ(kept.values<float>(1)[i], float(a[i])) << i;
      telling += flush(a[i]) != a[i];
    }
    EXPECT_GT(telling, 0U);
  }
}

}  // namespace
}  // namespace assay::metal
