// Conformance: values of the library's types, in registers of one thread.
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

namespace {

constexpr half kLevels[5] = {0.25f, -1.0f, 3.5f, 0.1f, half(16.)};

struct tone_pair {
  union {
    struct {
      half low, high;
    };
    half2 both;
  };
  uchar codes[4];
};

template <class M>
void read_tones(const tone_pair* pair, M& m) {
  for (int k = 0; k < 16; ++k) {
    const half base = k % 2 == 0 ? pair->low : pair->high;
    m[k / 4][k % 4] = base * half(pair->codes[k / 4] >> (k % 4 * 2) & 3) + -half(8.) * kLevels[0];
  }
}

template <class T>
struct Bounds {
  static constexpr T largest = metal::numeric_limits<T>::max();
  static constexpr T above = metal::numeric_limits<T>::infinity();
};

}  // namespace

extern "C" {

void conformance_tables_of_half() {
  CHECK(kLevels[4] == half(16) && kLevels[3] == half(0.1) && float(kLevels[3]) != 0.1f);
  CHECK(-half(8.) * kLevels[2] == half(-28) && float(kLevels[0]) == 0.25f);
}

// Halves by a union's other member, into matrices of half and of float that agree.
void conformance_unions_and_matrices() {
  tone_pair pair = {};
  CHECK(pair.low == half(0) && pair.codes[3] == 0);
  pair.both = half2(half(2), half(10));
  for (int k = 0; k < 4; ++k) pair.codes[k] = uchar(0xE4 + k);  // 0 + k, 1, 2, 3
  half4x4 m;
  float4x4 wide;
  read_tones(&pair, m);
  read_tones(&pair, wide);
  CHECK(pair.low == half(2) && pair.high == half(10));
  CHECK(m[3].w == half(28) && all(m[0] == half4(-2, 8, 2, 28)) && all(m[3] == half4(4, 8, 2, 28)));
  const float4x4 same = float4x4(m);
  for (int c = 0; c < 4; ++c) CHECK(all(wide[c] == same[c]));
  const float4 last = (float4)m[2];
  CHECK(all(last == wide[2]) && !all(last == wide[1]));
}

void conformance_float4_in_registers() {
  float4 best = -INFINITY, sum = 0.0f;
  const float4 in[3] = {float4(1, -2, 3, 0), float4(-4, 5, -6, 0), float4(0.5f)};
  for (const float4& v : in) best = fmax(best, v);
  CHECK(all(best == float4(1, 5, 3, 0.5f)));
  const float most = max(max(best[0], best[1]), max(best[2], best[3]));
  CHECK(most == 5);
  for (const float4& v : in) sum += exp(v - most) * float4(2);
  sum *= 0.5f;
  CHECK(fabs(sum[1] - (exp(-7.0f) + 1 + exp(-4.5f))) < 1e-6f && all(best * 2.0f == float4(2, 10, 6, 1)));
}

void conformance_bfloat_arithmetic() {
  bfloat x = bfloat(1.5f);
  x *= 2;
  CHECK(x == bfloat(3) && x + bfloat(0.25f) == bfloat(3.25f) && bfloat(257) == bfloat(256));
  for (int code = 0; code < 16; ++code) {
    const uchar byte = uchar(code << 4 | 5);
    CHECK(bfloat(0.0625f) * (byte & 0xF0) == float(code) && bfloat(2) * (byte & 0x0F) == 10);
  }
  CHECK(bfloat(1) / bfloat(3) == bfloat(1.0f / 3.0f) && -x < 0 && -x == -3 && 0.5f * x == 1.5f);
  CHECK(static_cast<float>(static_cast<bfloat>(1.01f)) == 0x1.02p0f && max(x, bfloat(4)) == bfloat(4));
  CHECK(isnan(bfloat(NAN)) && !isnan(x) && rsqrt(bfloat(4)) == bfloat(0.5f));
  CHECK(as_type<ushort>(x) == 0x4040 && as_type<bfloat>(ushort(0xBF80)) == -1);
  ushort words[2] = {0, 0};
  *(bfloat*)&words[1] = bfloat(-2);
  CHECK(words[0] == 0 && words[1] == 0xC000);
}

void conformance_limits_as_static_members() {
  CHECK(Bounds<half>::largest == half(65504) && isinf(Bounds<half>::above) && isinf(Bounds<float>::above));
  CHECK(Bounds<bfloat>::above == bfloat(INFINITY) && isinf(float(Bounds<bfloat>::above)));
  CHECK(!isinf(float(Bounds<bfloat>::largest)) && Bounds<float>::largest == 0x1.FFFFFEp127f);
}

void conformance_traits() {
  CHECK(is_same_v<remove_cv_t<const volatile short>, short> && is_same_v<remove_pointer_t<half*>, half>);
  CHECK(is_same_v<remove_reference_t<float4&>, float4> && is_convertible_v<half, float>);
  CHECK(!is_convertible_v<tone_pair, float> && bool_constant<true>::value && true_type::value);
  CHECK(integral_constant<short, 7>::value == 7 && is_same_v<enable_if<true, int>::type, int>);
}

// Pairs of one type into pairs of another; the bits of two bfloats, put where a float has them.
void conformance_pairs_of_bfloat() {
  const vec<bfloat, 2> narrow(bfloat(1.5f), bfloat(-0.25f));
  const vec<float, 2> wide = vec<float, 2>(narrow);
  CHECK(all(wide == float2(1.5f, -0.25f)) && all(vec<half, 2>(wide) == half2(half(1.5), half(-0.25))));
  float2 placed = 0.0f;
  ushort2* halves = (ushort2*)&placed;
  halves[0].y = as_type<ushort>(narrow[0]);
  halves[1].y = as_type<ushort>(narrow[1]);
  CHECK(all(placed == wide));
}

}  // extern "C"
