// Scalars: half and bfloat arithmetic and conversion for the test to compare with its own, and checks by hand
// of the mathematical and integer functions, limits and traits.
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

extern "C" {

uint16_t half_binary(int operation, uint16_t a, uint16_t b) {
  const half x = as_type<half>(a), y = as_type<half>(b);
  switch (operation) {
    case 0:
      return as_type<ushort>(half(x + y));
    case 1:
      return as_type<ushort>(half(x - y));
    case 2:
      return as_type<ushort>(half(x * y));
    default:
      return as_type<ushort>(half(x / y));
  }
}
uint16_t half_sqrt(uint16_t a) { return as_type<ushort>(sqrt(as_type<half>(a))); }
uint16_t half_fma(uint16_t a, uint16_t b, uint16_t c) {
  return as_type<ushort>(fma(as_type<half>(a), as_type<half>(b), as_type<half>(c)));
}
uint16_t half_mad(uint16_t a, uint16_t b, uint16_t c) {
  const half x = as_type<half>(a), y = as_type<half>(b), z = as_type<half>(c);
  return as_type<ushort>(half(x * y + z));
}
uint16_t half_of_double(double x) { return as_type<ushort>(half(x)); }
uint16_t half_of_uint(unsigned x) { return as_type<ushort>(half(x)); }
uint16_t half_of_long(long x) { return as_type<ushort>(half(x)); }
uint16_t bfloat_of_float(float x) { return as_type<ushort>(bfloat(x)); }
float bfloat_to_float(uint16_t x) { return float(as_type<bfloat>(x)); }

void scalar_min_max_clamp() {
  const float nan = NAN;
  CHECK(min(nan, 1.0f) == 1 && min(1.0f, nan) == 1 && max(nan, 1.0f) == 1 && max(1.0f, nan) == 1);
  CHECK(isnan(max(nan, nan)) && fmax(1.0f, 2.0f) == 2 && fmin(half(1), half(2)) == 1);
  CHECK(max(1u, 2u) == 2 && min(half(1), half(2)) == 1 && max(bfloat(1), 2.5f) == 2.5f && min(true, 4) == 1);
  CHECK(clamp(5, 0, 3) == 3 && clamp(-1.5f, -1.0f, 1.0f) == -1 &&
        all(clamp(int3(-1, 5, 9), 0, 8) == int3(0, 5, 8)));
  CHECK(max3(1, 5, 3) == 5 && min3(4, 2, 3) == 2 && median3(7, 1, 3) == 3 && median3(1.0f, 3.0f, 2.0f) == 2);
  CHECK(abs(-3) == 3 && abs(3u) == 3 && abs(-1.5f) == 1.5f && abs(half(-2)) == 2 &&
        all(abs(short2(-4, 4)) == 4));
  CHECK(saturate(2.0f) == 1 && saturate(-1.0f) == 0 && saturate(nan) == 0 && saturate(0.25f) == 0.25f);
  CHECK(sign(-3.0f) == -1 && sign(0.0f) == 0 && sign(nan) == 0 && signbit(sign(-0.0f)) && sign(half(7)) == 1);
  CHECK(mix(1.0f, 3.0f, 0.25f) == 1.5f && all(mix(float2(0), float2(2), 0.5f) == 1));
  CHECK(step(1.0f, 0.5f) == 0 && step(1.0f, 1.0f) == 1 && smoothstep(0.0f, 2.0f, 1.0f) == 0.5f);
  CHECK(select(1, 2, true) == 2 && all(select(int2(1, 2), int2(3, 4), bool2(true, false)) == int2(3, 2)));
  CHECK(max(bfloat(1.0f), bfloat(2.0f)) == bfloat(2.0f) && max(bfloat(1.0f), 2.5f) == 2.5f);
}

void scalar_rounding_functions() {
  CHECK(floor(-1.5f) == -2 && ceil(1.2f) == 2 && trunc(-1.7f) == -1 && round(2.5f) == 3 &&
        round(-2.5f) == -3);
  CHECK(rint(2.5f) == 2 && rint(3.5f) == 4 && all(floor(float2(1.5f, -0.5f)) == float2(1, -1)));
  CHECK(fract(1.25f) == 0.25f && fract(-0.25f) == 0.75f && fract(-1e-10f) == 0x1.FFFFFEp-1f);
  CHECK(fract(half(-0x1p-20f)) == half(0x1.FFCp-1f) && fmod(5.5f, -2.0f) == 1.5f &&
        fmod(-5.5f, 2.0f) == -1.5f);
  float whole;
  CHECK(modf(-3.25f, whole) == -0.25f && whole == -3 && modf(INFINITY, whole) == 0 && isinf(whole));
  int e;
  CHECK(frexp(12.0f, e) == 0.75f && e == 4 && ldexp(0.75f, 4) == 12 && frexp(half(0x1p-24f), e) == 0.5 &&
        e == -23);
  int2 es;
  CHECK(all(frexp(float2(1, 4), es) == 0.5f) && all(es == int2(1, 3)) &&
        all(ldexp(float2(1, 1), es) == float2(2, 8)));
  CHECK(copysign(3.0f, -0.0f) == -3 && fabs(-2.0f) == 2 && fdim(3.0f, 5.0f) == 0 && ilogb(10.0f) == 3);
  CHECK(nextafter(1.0f, 2.0f) == 1 + 0x1p-23f && nextafter(half(1), half(0)) == half(1 - 0x1p-11f));
  CHECK(nextafter(half(0), half(-1)) == half(-0x1p-24f) &&
        nextafter(half(-1), half(-2)) == half(-1 - 0x1p-10f));
}

void scalar_transcendental_functions() {
  CHECK(exp(0.0f) == 1 && exp2(10.0f) == 1024 && exp10(2.0f) == 100 && log2(8.0f) == 3 &&
        log10(1000.0f) == 3);
  CHECK(log(1.0f) == 0 && pow(2.0f, 10) == 1024 && powr(4.0f, 0.5f) == 2 && isnan(powr(-1.0f, 2.0f)));
  CHECK(sqrt(9.0f) == 3 && rsqrt(0.25f) == 2 && precise::sqrt(2.0f) == fast::sqrt(2.0f) &&
        divide(1.0f, 4.0f) == 0.25f);
  CHECK(sin(0.0f) == 0 && cos(0.0f) == 1 && tan(0.0f) == 0 && atan2(1.0f, 1.0f) == M_PI_4_F &&
        tanh(100.0f) == 1);
  CHECK(asin(1.0f) == M_PI_2_F && acos(1.0f) == 0 && atan(1.0f) == M_PI_4_F && sinh(0.0f) == 0 &&
        cosh(0.0f) == 1);
  CHECK(asinh(0.0f) == 0 && acosh(1.0f) == 0 && atanh(0.0f) == 0);
  CHECK(sinpi(0.5f) == 1 && cospi(1.0f) == -1 && abs(sinpi(1.0f)) < 1e-14f && abs(tanpi(0.25f) - 1) < 1e-6f);
  CHECK(sinpi(1e6f + 0.5f) == 1 && cospi(3.0f) == -1);
  float c;
  CHECK(sincos(0.0f, c) == 0 && c == 1);
  CHECK(exp(half(1)) == half(2.718281828f) && all(exp(half2(0)) == half2(1)) &&
        exp(half(12)) == half(INFINITY));
  CHECK(is_same_v<decltype(exp(half(1))), half> && is_same_v<decltype(exp(1.0f)), float>);
  CHECK(fma(2.0f, 3.0f, 1.0f) == 7 && mad(2, 3, 1) == 7 &&
        all(fma(half4(2), half4(3), half4(1)) == half4(7)));
  CHECK(fma(1 + 0x1p-23f, 1 - 0x1p-23f, -1.0f) == -0x1p-46f);
}

void scalar_relational_functions() {
  CHECK(isnan(NAN) && !isnan(1.0f) && isinf(-INFINITY) && !isinf(NAN) && isfinite(0.0f) &&
        !isfinite(half(INFINITY)));
  CHECK(isnormal(1.0f) && !isnormal(0x1p-130f) && !isnormal(half(0x1p-20f)) && !isnormal(0.0f) &&
        signbit(-0.0f));
  CHECK(isnormal(half(0x1p-14f)) && isunordered(1.0f, NAN) && isordered(1.0f, 2.0f));
  CHECK(any(isnan(float2(1, NAN))) && !all(isnan(float2(1, NAN))) && all(bool3(true)) && !any(bool2(false)));
}

void scalar_geometric_functions() {
  const float3 x(1, 0, 0), y(0, 1, 0);
  CHECK(all(cross(x, y) == float3(0, 0, 1)) && dot(float4(1, 2, 3, 4), float4(1)) == 10 &&
        length(float2(3, 4)) == 5);
  CHECK(distance(x, x) == 0 && distance_squared(x, y) == 2 && length_squared(float3(2)) == 12);
  CHECK(all(normalize(float2(0, 5)) == float2(0, 1)) &&
        all(reflect(float2(1, -1), float2(0, 1)) == float2(1, 1)));
  CHECK(all(faceforward(y, -y, y) == y));
  // Sums of halves are taken in float: 2048 + 1 + 1 is 2050, which steps of half would lose.
  CHECK(dot(half3(2048, 1, 1), half3(1)) == half(2050) && is_same_v<decltype(dot(half2(1), half2(1))), half>);
}

void scalar_integer_functions() {
  CHECK(popcount(0xF0F0u) == 8 && popcount(uchar(255)) == 8 && popcount(-1) == 32 &&
        popcount(short(-1)) == 16);
  CHECK(clz(1u) == 31 && clz(0u) == 32 && clz(ushort(1)) == 15 && ctz(8) == 3 && ctz(uchar(0)) == 8);
  CHECK(reverse_bits(1u) == 0x80000000u && reverse_bits(uchar(3)) == 192 &&
        reverse_bits(ushort(1)) == 0x8000);
  CHECK(rotate(0x80000001u, 1u) == 3 && rotate(1u, 33u) == 2 && rotate(uchar(0x81), uchar(4)) == 0x18);
  CHECK(rotate(5u, 0u) == 5 && all(rotate(uint2(1, 2), 31u) == uint2(0x80000000u, 1)));
  CHECK(mulhi(0xFFFFFFFFu, 0xFFFFFFFFu) == 0xFFFFFFFEu && mulhi(-1, 1) == -1 &&
        mulhi(short(256), short(256)) == 1);
  CHECK(mulhi(~0ul, ~0ul) == ~0ul - 1 && mulhi(LONG_MIN, 2l) == -1 && madhi(1 << 30, 4, 5) == 6);
  CHECK(mul24(0x01000003, 5) == 15 && mul24(-3, 5) == -15 && mad24(2u, 3u, 4u) == 10);
  CHECK(extract_bits(0xABCDu, 4, 8) == 0xBC && extract_bits(0xF0, 4, 4) == -1 && extract_bits(5u, 3, 0) == 0);
  CHECK(extract_bits(~0u, 0, 32) == ~0u && insert_bits(0u, 0xFFu, 4, 4) == 0xF0 &&
        insert_bits(~0u, 0u, 0, 32) == 0);
  CHECK(absdiff(-5, 5) == 10u && absdiff(3u, 5u) == 2 && absdiff(INT_MIN, INT_MAX) == int(~0u));
  CHECK(addsat(uchar(200), uchar(100)) == 255 && addsat(INT_MAX, 1) == INT_MAX && subsat(3u, 5u) == 0);
  CHECK(subsat(char(-128), char(1)) == -128 && addsat(~0ul, 1ul) == ~0ul && madsat(1 << 30, 4, 0) == INT_MAX);
  CHECK(hadd(3, 4) == 3 && rhadd(3, 4) == 4 && hadd(0xFFFFFFFFu, 0xFFFFFFFFu) == 0xFFFFFFFFu &&
        hadd(-3, 0) == -2);
  CHECK(all(popcount(uint3(1, 3, 7)) == uint3(1, 2, 3)));
}

void scalar_limits_and_traits() {
  CHECK(numeric_limits<half>::max() == HALF_MAX && numeric_limits<half>::denorm_min() == half(0x1p-24f));
  CHECK(numeric_limits<half>::epsilon() == HALF_EPSILON && numeric_limits<half>::min() == HALF_MIN);
  CHECK(numeric_limits<float>::max() == FLT_MAX && numeric_limits<float>::denorm_min() == 0x1p-149f);
  CHECK(numeric_limits<float>::lowest() == -MAXFLOAT && isinf(numeric_limits<float>::infinity()));
  CHECK(float(numeric_limits<bfloat>::max()) == 0x1.FEp127f && isnan(numeric_limits<half>::quiet_NaN()));
  CHECK(numeric_limits<int>::min() == INT_MIN && numeric_limits<uint>::digits == 32 &&
        numeric_limits<char>::digits == 7);
  CHECK(numeric_limits<float>::digits10 == 6 && numeric_limits<int>::digits10 == 9 &&
        numeric_limits<ulong>::digits10 == 19);
  CHECK(is_same_v<make_unsigned_t<int>, uint> && is_same_v<decay_t<const float&>, float> &&
        is_integral_v<bool>);
  CHECK(is_floating_point_v<half> && is_floating_point_v<bfloat> && !is_integral_v<float> &&
        is_unsigned_v<uchar>);
  CHECK(is_same_v<conditional_t<true, int, float>, int> && is_convertible_v<int, half> &&
        !is_convertible_v<int*, half>);
  CHECK(is_same_v<remove_pointer_t<int*>, int> && is_pointer_v<int*> &&
        is_base_of_v<true_type, is_same<int, int>>);
  array<float, 3> values = {{1, 2, 3}};
  float sum = 0;
  for (const float v : values) sum += v;
  CHECK(sum == 6 && values.size() == 3 && values[1u] == 2 && values.back() == 3);
  uniform<uint> same = make_uniform(3u);
  CHECK(same == 3);
}

}  // extern "C"
