// Numerics modes: what a compiler may do to arithmetic is done, where a pragma does not forbid it, and
// nothing else changes.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

constexpr std::size_t kCount = 256;

template <class T>
std::vector<T> numbers(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(kCount);
  for (auto& value : values) value = T(std::ldexp(double(random()) + 1, -int(random() % 6) - 30));
  return values;
}

// out[i] = `expression` of T's a, b, c, which are a[i], b[i], c[i], one element or `width` at a time.
template <class T>
std::vector<T> run(const std::string& type, unsigned width, const std::string& body, Numerics numerics,
                   const std::string& ahead = "") {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "k.metal", ahead + "#include <metal_stdlib>\nusing namespace metal;\ntypedef " + type +
                     " T;\nstatic T apart(T x, T y) { return x - y; }\n"
                     "kernel void k(device const T* as [[buffer(0)]], device const T* bs [[buffer(1)]],\n"
                     "              device const T* cs [[buffer(2)]], device T* out [[buffer(3)]],\n"
                     "              uint i [[thread_position_in_grid]]) {\n"
                     "  const T a = as[i], b = bs[i], c = cs[i];\n  T r = c;\n" +
                     body + "\n  out[i] = r;\n}\n");
  KernelRun kernel(file, "k");
  kernel.buffer(0, numbers<T>(1)).buffer(1, numbers<T>(2)).buffer(2, numbers<T>(3));
  kernel.buffer(3, std::vector<T>(kCount)).grid({1, 1, 1}, {unsigned(kCount) / width, 1, 1});
  return kernel.run(simulator::Mode::fast, numerics).template values<T>(3);
}

// Every result is right(a, b, c), and some are not other(a, b, c): the test can tell them apart.
template <class T>
void expect_each(const std::vector<T>& out, auto&& right, auto&& other, const std::string& what) {
  const auto a = numbers<T>(1), b = numbers<T>(2), c = numbers<T>(3);
  std::size_t telling = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(double(out[i]), double(right(a[i], b[i], c[i]))) << what << " at " << i;
    telling += double(right(a[i], b[i], c[i])) != double(other(a[i], b[i], c[i]));
  }
  EXPECT_GT(telling, 0u) << what;
}

// sign_p a b + sign_c c: with one rounding (a sum in double is exact for these), and with two.
template <class T>
auto fused(int sign_p, int sign_c) {
  return [=](T a, T b, T c) {
    if constexpr (sizeof(T) == 4) return std::fma(float(sign_p) * a, b, float(sign_c) * c);
    return T(sign_p * double(a) * double(b) + sign_c * double(c));
  };
}
template <class T>
auto rounded_twice(int sign_p, int sign_c) {
  return [=](T a, T b, T c) {
    const volatile double product = double(T(double(a) * double(b)));
    return T(sign_p * product + sign_c * double(c));
  };
}

struct Form {
  const char* body;
  int sign_p, sign_c;
};
constexpr Form kForms[] = {
    {"r = a * b + c;", 1, 1},       {"r = c + a * b;", 1, 1},
    {"r = a * b - c;", 1, -1},      {"r = c - a * b;", -1, 1},
    {"r += a * b;", 1, 1},          {"r -= a * b;", -1, 1},
    {"r = (a) * (b) + (c);", 1, 1}, {"r = -a * b - T(c);", -1, -1},
    {"r = (a * b) + c;", 1, 1},     {"const T p = a * b; r = c; r = p + r;", 1, 1},
};

template <class T>
void expect_forms(const std::string& type, unsigned width) {
  for (const auto& form : kForms) {
    SCOPED_TRACE(type + ": " + form.body);
    const auto once = fused<T>(form.sign_p, form.sign_c);
    const auto twice = rounded_twice<T>(form.sign_p, form.sign_c);
    expect_each(run<T>(type, width, form.body, Numerics::strict), twice, once, "strict");
    expect_each(run<T>(type, width, form.body, Numerics::contracted), once, twice, "contracted");
    expect_each(run<T>(type, width, form.body, Numerics::contracted, "#pragma METAL fp contract(off)\n"),
                twice, once, "contracted, but the pragma");
  }
}

TEST(Contracted, ProductsOfHalfAndASum) { expect_forms<Half>("half", 1); }
TEST(Contracted, ProductsOfHalf2AndASum) { expect_forms<Half>("half2", 2); }
TEST(Contracted, ProductsOfHalf4AndASum) { expect_forms<Half>("half4", 4); }
TEST(Contracted, ProductsOfFloatAndASum) { expect_forms<float>("float", 1); }
TEST(Contracted, ProductsOfFloat4AndASum) { expect_forms<float>("float4", 4); }

// Of two products the one on the right is not rounded.
TEST(Contracted, TheRightOneOfTwoProducts) {
  const auto right = [](Half a, Half b, Half c) {
    const Half left = Half(double(a) * double(b));
    return Half(double(b) * double(c) + double(left));
  };
  for (const auto& [type, width] : {std::pair<std::string, unsigned>{"half", 1}, {"half4", 4}}) {
    expect_each(
        run<Half>(type, width, "r = a * b + b * c;", Numerics::contracted), right,
        [](Half a, Half b, Half c) {
          return Half(double(a) * double(b) + double(Half(double(b) * double(c))));
        },
        type);
  }
}

float rounded_to_bfloat(double x) {
  const auto bits = std::bit_cast<std::uint32_t>(float(x));
  return std::bit_cast<float>((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000U);
}

TEST(Contracted, ProductsOfBfloatAndASum) {
  const auto of = [](auto&& rounds) {
    return [=](float a, float b, float c) {
      const double x = rounded_to_bfloat(a), y = rounded_to_bfloat(b), z = rounded_to_bfloat(c);
      return rounded_to_bfloat((rounds ? rounded_to_bfloat(x * y) : x * y) - z);
    };
  };
  for (const std::string body :
       {"r = float(bfloat(a) * bfloat(b) - bfloat(c));",
        "bfloat s = bfloat(a), t = bfloat(b); t *= s; t -= bfloat(c); r = float(t);",
        "const bfloat2 s = bfloat2(a), t = bfloat2(b); r = float((s * t - bfloat2(c)).y);"}) {
    expect_each(run<float>("float", 1, body, Numerics::contracted), of(false), of(true),
                body + " contracted");
    expect_each(run<float>("float", 1, body, Numerics::strict), of(true), of(false), body + " kept");
    expect_each(run<float>("float", 1, "\n#pragma METAL fp contract(off)\n" + body, Numerics::contracted),
                of(true), of(false), body);
  }
}

// What has been added up is `sum`, 512 + a or 8192 + a, from which `bias` and b go. As written the bias goes
// first, which is exact. Which other order the compiler takes is its own affair: each is one of these.
template <class T>
struct Orders {
  T bias;
  T sum(T a) const { return T(float(bias) + float(a)); }
  T as_written(T a, T b) const { return T(float(T(float(sum(a)) - float(bias))) - float(b)); }
  bool has(T out, T a, T b) const {
    const T gathered = T(float(bias) + float(b)), sooner = T(float(sum(a)) - float(b));
    return out == T(float(a) - float(b)) || out == T(float(sum(a)) - float(gathered)) ||
           out == T(float(sooner) - float(bias));
  }
};

template <class T>
void expect_orders(const std::string& type, unsigned width, T bias, const std::string& body) {
  SCOPED_TRACE(type + ": " + body);
  const Orders<T> orders{bias};
  const auto strict = run<T>(type, width, body, Numerics::strict);
  const auto regrouped = run<T>(type, width, body, Numerics::reassociated);
  const auto safe = run<T>(type, width, body, Numerics::reassociated, "#pragma METAL fp math_mode(safe)\n");
  const auto a = numbers<T>(1), b = numbers<T>(2);
  std::size_t telling = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(float(strict[i]), float(orders.as_written(a[i], b[i]))) << i;
    ASSERT_EQ(float(safe[i]), float(strict[i])) << i;
    EXPECT_TRUE(orders.has(regrouped[i], a[i], b[i]))
        << i << ": " << float(regrouped[i]) << ", as written " << float(strict[i]);
    telling += float(regrouped[i]) != float(strict[i]);
  }
  EXPECT_GT(telling, kCount / 2);
}

// The fault of a magic bias, as fast-math may bring it on: in one expression, over statements, over
// functions.
TEST(Reassociated, BiasesOfSums) {
  for (const auto& [type, width] :
       {std::pair<std::string, unsigned>{"half", 1}, {"half2", 2}, {"half4", 4}}) {
    for (const std::string body : {"const T n = max(a + T(512), T(0)); r = n - T(512) - b;",
                                   "T n = max(a + T(512), T(0)); n -= T(512); n = n - b; r = n;",
                                   "const T n = max(a + T(512), T(0)); r = apart(apart(n, T(512)), b);"}) {
      expect_orders<Half>(type, width, 512, body);
    }
  }
}

TEST(Reassociated, BiasesOfSumsOfFloats) {
  for (const auto& [type, width] : {std::pair<std::string, unsigned>{"float", 1}, {"float4", 4}}) {
    expect_orders<float>(type, width, 8192, "const T n = max(a + T(8192), T(0)); r = n - T(8192) - b;");
  }
}

// A block's pragma ends with it.
// a / b, alone and among other operators, of scalars and vectors; integers are divided as ever.
template <class T>
void expect_reciprocals(const std::string& type, unsigned width) {
  const auto reciprocal = [](T b) { return T(double(T(1)) / double(b)); };
  const auto times = [](T a, T b) { return T(double(a) * double(b)); };
  const auto right = [&](T a, T b, T) { return times(a, reciprocal(b)); };
  const auto strict = [](T a, T b, T) { return T(double(a) / double(b)); };
  expect_each<T>(run<T>(type, width, "r = a / b;", Numerics::relaxed), right, strict, type + " a / b");
  expect_each<T>(run<T>(type, width, "r = a; r /= b;", Numerics::relaxed), right, strict, type + " r /= b");
  expect_each<T>(run<T>(type, width, "r = T(0) + a / b;", Numerics::relaxed), right, strict,
                 type + " 0 + a / b");
  expect_each<T>(run<T>(type, width, "\n#pragma METAL fp math_mode(safe)\nr = a / b;", Numerics::relaxed),
                 strict, right, type + " where it is safe");
  expect_each<T>(run<T>(type, width, "r = a / b;", Numerics::reassociated), strict, right,
                 type + " a / b, reassociated");
}

TEST(Relaxed, QuotientsOfFloatsAreProductsWithReciprocals) { expect_reciprocals<float>("float", 1); }
TEST(Relaxed, QuotientsOfFloat4AreProductsWithReciprocals) { expect_reciprocals<float>("float4", 4); }
TEST(Relaxed, QuotientsOfHalvesAreProductsWithReciprocals) { expect_reciprocals<Half>("half", 1); }

TEST(Relaxed, QuotientsOfIntegersAreWhatTheyWere) {
  const auto out =
      run<float>("float", 1, "constexpr int n = 7 / 2; uint u = 41u / 5u * 3u / 2u; r = T(n + int(u));",
                 Numerics::relaxed);
  for (const float one : out) EXPECT_EQ(one, 15.0F);
}

TEST(Pragma, HoldsToTheEndOfItsBlock) {
  const std::string body = "{\n#pragma METAL fp contract(off)\n  r = b;\n}\nr = a * b + c;";
  expect_each(run<Half>("half", 1, body, Numerics::contracted), fused<Half>(1, 1), rounded_twice<Half>(1, 1),
              "");
}

// Between comparisons, casts and calls; of scalars, whose comparisons are bool.
TEST(Contracted, SumsAmongOtherThings) {
  const std::string body =
      "const bool less = i < 512 && c > T(0) - a; if (less) r = apart(c, T(0)) + (T)a * b;";
  expect_each(run<Half>("half", 1, body, Numerics::contracted), fused<Half>(1, 1), rounded_twice<Half>(1, 1),
              "");
}

// Components that lie apart, which no reference can be made of, and one of them.
TEST(Contracted, ComponentsThatAreChanged) {
  const std::string whole = "r.xz += a.xz * b.xz; (r.wy) += a.wy * b.wy;";
  const std::string each =
      "r.wx[0] += a.w * b.w; r.wx[1] += a.x * b.x; r.zy[i & 0] += a.z * b.z; r.lo.y += a.y * b.y;";
  for (const std::string& body : {whole, each}) {
    expect_each(run<Half>("half4", 4, body, Numerics::contracted), fused<Half>(1, 1),
                rounded_twice<Half>(1, 1), body);
    expect_each(run<Half>("half4", 4, body, Numerics::contracted, "#pragma METAL fp contract(off)\n"),
                rounded_twice<Half>(1, 1), fused<Half>(1, 1), body);
    expect_each(run<Half>("half4", 4, body, Numerics::reassociated, "#pragma METAL fp math_mode(safe)\n"),
                rounded_twice<Half>(1, 1), fused<Half>(1, 1), body);
  }
}

TEST(Relaxed, QuotientsOfComponentsThatAreChanged) {
  const std::string body = "r = a; r.xz /= b.xz; r.wy[1] /= b.y; r.wy[0] /= b.w;";
  EXPECT_EQ(run<float>("float4", 4, body, Numerics::relaxed),
            run<float>("float4", 4, "r = a / b;", Numerics::relaxed));
}

// What the text of a sum can look like without being one of halves: the same values, or the same text.
TEST(Contracted, EverythingElseIsWhatItWas) {
  const std::string body = R"(
  enum { kTwo = 1 + 1 * 1, kSix = kTwo * 3 };
  constexpr int size = kSix * 2 + 4;
  threadgroup float tile[size * 2 + 1];
  threadgroup float* at = tile + i % 4 * 2;
  array<int, 2> pair = {int(i) * 2 + 1, 3 - int(i) * kTwo};
  struct Bits { uint low : 4, high : 4; } bits = {i & 15, i >> 4};
  const uint sum = bits.low * 2 + 1;
  const float f = as_type<float>(0x3F800000u + 0 * i), g = *at * 0 + f, h = (float)-f * f;
  const bool both = i * 2 + 1 < 4 * i && i > 2 * i - 100;
  const half4 v(1, 2, 3, half(i));
  const half2 w = v.xy * 2 + v.zw, u = half2(v.wz - v.x * v.yz);
  uint k = 0;
  for (uint j = 0; j < 3 * i + 1 && k < 5; j += 2 * 1) ++k;
  r = T(pair[0] - pair[1]) + T(sum) + T(h) + T(both ? 1 : 0) + T(k) + T(at - tile) + w.y - u.x;
  (void)g;)";
  const auto strict = run<Half>("half", 1, body, Numerics::strict);
  EXPECT_EQ(std::vector<float>(strict.begin(), strict.end()), [&] {
    const auto contracted = run<Half>("half", 1, body, Numerics::contracted);
    return std::vector<float>(contracted.begin(), contracted.end());
  }());
}

// Declarations of pointers read like products, but for what their first word is: a type of the library, one
// with attributes before its name, or one that nothing here knows.
TEST(Pragma, PointersAreNoProducts) {
  const std::string ahead = R"(#include <metal_stdlib>
#pragma METAL fp math_mode(safe) contract(off)
  using namespace metal;
  struct alignas(4) Aligned { half a, b; };
  struct __attribute__((packed)) Packed { half a, b; };
  typedef struct { half a; } Last;
  typedef half Row[2];
  namespace ns { struct Inner { half a; }; }
  template <class Value> struct Of { typedef Value type; };
  struct Keep { void operator()(thread true_type* p, thread mem_flags* q) const { (void)p; (void)q; } };
  template <typename A> half first(const device A* p, thread A* q) { *q = *p; thread A* r = q; return r->a; }
)";
  const std::string body = R"(
  const device packed_half2* packed = (const device packed_half2*)as;
  device atomic_uint* atomic = (device atomic_uint*)out, *other = atomic + 1;
  half2x2 m(a); thread half2x2 *matrix = &m;
  simdgroup_half8x8 tiles[2]; thread simdgroup_half8x8 * tile = tiles;
  Aligned x, y; y.a = y.b = half(0); thread Aligned* aligned = &x; thread Packed* pack = (thread Packed*)&y;
  Last z; thread Last* last = &z; thread Last* thread* to_last = &last; Row w; thread Row* row = &w;
  ns::Inner v; thread ns::Inner* inner = &v; thread Of<half>::type* half_of = &v.a; thread half const* unchanging = half_of;
  thread mem_flags* flags = nullptr; thread true_type *known = nullptr; { thread true_type* p = known, *q = p; (void)q; }
  Keep()(known, flags);
  for (thread true_type* p = known; p != known; ++p) {}
  for (thread Aligned* p = aligned; p != aligned + 1; ++p) p->a = packed[0][0] * a + b;
  (void)atomic; (void)other; (void)tile; (void)row; (void)inner; (void)unchanging; (void)matrix;
  (**to_last).a = first((const device Aligned*)as, aligned);
  const half both[] = {a * b, c * a, b * (a)};
  r = a * b + c + half(0) * (z.a + both[0] * pack->a);)";
  for (const auto numerics : {Numerics::contracted, Numerics::reassociated}) {
    expect_each(run<Half>("half", 1, body, numerics, ahead), rounded_twice<Half>(1, 1), fused<Half>(1, 1),
                "");
  }
}

TEST(Numerics, CodeThatIsTheSameIsKnown) {
  const TemporaryDirectory directory;
  const auto file = directory.write("k.metal",
                                    "#include <metal_stdlib>\nusing namespace metal;\n"
                                    "kernel void same(device half* a) { a[1] = a[0] * half(3); }\n"
                                    "kernel void other(device half* a) { a[1] = a[0] * half(3) + a[2]; }\n");
  KernelRun same(file, "same"), other(file, "other");
  EXPECT_TRUE(same_code(same.source(), Numerics::strict, Numerics::contracted));
  EXPECT_TRUE(same_code(same.source(), Numerics::strict, Numerics::reassociated));
  EXPECT_FALSE(same_code(other.source(), Numerics::strict, Numerics::contracted));
}

}  // namespace
}  // namespace assay::metal
