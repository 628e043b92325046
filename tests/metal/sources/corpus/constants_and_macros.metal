// Macros of numbers, limits, tests of features, headers that are not there, pragmas and static assertions.
#include <metal_stdlib>
#ifdef __METAL__
#if __METAL_VERSION__ >= 310
#define HAS_BRAIN 1
#endif
#else
#include <stdio.h>
#error not here
#endif
#if defined(__HAVE_BFLOAT__) && defined(HAS_BRAIN)
typedef bfloat brain;
typedef bfloat4 brain4;
typedef matrix<bfloat, 4, 4> brain4x4;
#endif
#if __has_include("settings_of_somebody_else.h")
#include "settings_of_somebody_else.h"
#endif
#if defined(__has_include)
#if __has_include(<metal_tensor>)
#include <metal_tensor>
#endif
#endif
#ifndef GGG_UNKNOWN
#define GGG_UNKNOWN 3
#endif
#if __has_feature(cxx_rvalue_references) || __has_extension(c_static_assert) || __has_attribute(always_inline) || __has_builtin(__builtin_expect)
#define ANY 1
#endif
#if TARGET_OS_IPHONE || defined(__METAL_IOS__)
#error no telephone
#endif
#pragma METAL fp math_mode(relaxed)
#pragma METAL fp contract(fast)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-variable"
#pragma mark - kernels
#pragma METAL internals : enable
namespace metal {}
#pragma METAL internals : disable
using namespace metal;
_Static_assert(sizeof(float3) == 16, "size of float3");
static_assert(sizeof(packed_float3) == 12 && alignof(half4) == 8);
static_assert(__is_trivially_copyable(float4), "");
enum { kOne = 1, kTwo = kOne << 1 };
enum class Mode : uint8_t { Plain = 0, Relu, Gelu };
enum Colour : int { Red, Green };
constant constexpr float kTable[] = {M_PI_F, M_E_F, M_LN2_F, M_LN10_F, M_LOG2E_F, M_LOG10E_F, M_PI_2_F, M_PI_4_F, M_1_PI_F, M_2_PI_F, M_2_SQRTPI_F, M_SQRT2_F, M_SQRT1_2_F};
constant half kHalves[] = {M_PI_H, M_E_H, M_SQRT2_H, HALF_MAX, HALF_MIN, HALF_EPSILON, -HALF_MAX};
constant float kFloats[2][3] = {{MAXFLOAT, FLT_MAX, FLT_MIN}, {FLT_EPSILON, HUGE_VALF, -INFINITY}};
constant int kInts[] = {INT_MAX, INT_MIN, SHRT_MAX, SHRT_MIN, CHAR_MAX, CHAR_BIT, UCHAR_MAX, SCHAR_MIN, FLT_DIG, FLT_MANT_DIG, FLT_MAX_EXP, FLT_MIN_EXP, FLT_RADIX, HALF_DIG, HALF_MANT_DIG, HALF_MAX_EXP};
constant uint kUints[] = {UINT_MAX, USHRT_MAX};
constant long kLongs[] = {LONG_MAX, LONG_MIN};
constant ulong kUlong = ULONG_MAX;
constexpr static constant uint32_t kMasks[8] = {0x1, 0x2, 0x4, 0x8, 1u << 4, 1U << 5, 0b01000000, 0'200 / 1};
static constant const char kNames[3] = {'a', '\n', 0x7f};
constant float3 kVectors[2] = {float3(1, 2, 3), float3(4.0f)};
constant float4x4 kMatrix = float4x4(1.0f);
constant struct { int a; float b; } kPairs[] = {{1, 2.f}, {.a = 3, .b = 4.f}};

template <Mode mode>
METAL_FUNC float activate(float x) {
  if constexpr (mode == Mode::Relu) {
    return max(x, 0.f);
  } else if constexpr (mode == Mode::Gelu) {
    return 0.5f * x * (1.0f + precise::tanh(M_2_SQRTPI_F * M_SQRT1_2_F * (x + 0.044715f * x * x * x)));
  } else {
    return x;
  }
}
METAL_FUNC float choose(Mode m, float x) {
  switch (m) {
    case Mode::Plain:
      return activate<Mode::Plain>(x);
    case Mode::Relu: return activate<Mode::Relu>(x);
    case Mode::Gelu: {
      return activate<Mode::Gelu>(x);
    }
    default:
      return NAN;
  }
}
kernel void limits(device float* out [[buffer(0)]], constant Mode& mode [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
#pragma METAL fp math_mode(safe)
  float s = kTable[i % 13] + float(kHalves[i % 7]) + kFloats[i % 2][i % 3] + kInts[i % 10] + kUints[0] + kLongs[1] + kUlong;
  s += numeric_limits<float>::max() + numeric_limits<half>::lowest() + numeric_limits<int>::min() + numeric_limits<uint8_t>::max();
  s += numeric_limits<float>::epsilon() + numeric_limits<float>::infinity() + numeric_limits<float>::quiet_NaN() + numeric_limits<short>::digits;
  s += numeric_limits<float>::is_signed + numeric_limits<ulong>::max() + numeric_limits<bfloat>::max() + numeric_limits<float>::denorm_min();
  s += kVectors[1].y + kMatrix[2][2] + kPairs[1].b + kMasks[6] + kNames[0] + Red + kTwo + GGG_UNKNOWN + choose(mode, s);
  s += numeric_limits<half>::infinity() + numeric_limits<char>::is_integer + numeric_limits<bool>::max();
#if HAS_BRAIN
  brain b = brain(1.5f);
  s += b;
#endif
  if (isnan(s) || s == HUGE_VALF) s = NAN;
  out[i] = s;
}
#pragma clang diagnostic pop
