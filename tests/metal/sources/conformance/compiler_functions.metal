// A type of half the width, given the library's functions by way of the compiler's own: what headers do that are to
// work where the library does not know the type.
#include <metal_stdlib>
#pragma METAL internals : enable
using namespace metal;
typedef bfloat brief;

METAL_FUNC ushort bits_of(brief x) { return as_type<ushort>(x); }
METAL_FUNC brief of_bits(ushort x) { return as_type<brief>(x); }

#define WRAP1(name, how) \
  METAL_FUNC brief name(brief x) { return static_cast<brief>(__metal_##name(static_cast<float>(x), how)); }
#define WRAP2(name, how)                                                                              \
  METAL_FUNC brief name(brief x, brief y) {                                                           \
    return static_cast<brief>(__metal_##name(static_cast<float>(x), static_cast<float>(y), how));     \
  }
#define WRAP3(name, how)                                                                              \
  METAL_FUNC brief name(brief x, brief y, brief z) {                                                  \
    return static_cast<brief>(                                                                        \
        __metal_##name(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), how));    \
  }
#define WRAP_ALL(how)                                                                                 \
  WRAP1(acos, how) WRAP1(acosh, how) WRAP1(asin, how) WRAP1(asinh, how) WRAP1(atan, how)              \
  WRAP1(atanh, how) WRAP1(ceil, how) WRAP1(cos, how) WRAP1(cosh, how) WRAP1(cospi, how)               \
  WRAP1(exp, how) WRAP1(exp10, how) WRAP1(exp2, how) WRAP1(fabs, how) WRAP1(floor, how)               \
  WRAP1(fract, how) WRAP1(log, how) WRAP1(log10, how) WRAP1(log2, how) WRAP1(rint, how)               \
  WRAP1(round, how) WRAP1(rsqrt, how) WRAP1(sin, how) WRAP1(sinh, how) WRAP1(sinpi, how)              \
  WRAP1(sqrt, how) WRAP1(tan, how) WRAP1(tanh, how) WRAP1(tanpi, how) WRAP1(trunc, how)               \
  WRAP2(atan2, how) WRAP2(fdim, how) WRAP2(divide, how) WRAP2(fmax, how) WRAP2(fmin, how)             \
  WRAP2(fmod, how) WRAP2(pow, how) WRAP2(powr, how)                                                   \
  WRAP3(clamp, how) WRAP3(fmax3, how) WRAP3(fmedian3, how) WRAP3(fmin3, how)                          \
  METAL_FUNC brief fma(brief x, brief y, brief z) {                                                   \
    return static_cast<brief>(__metal_fma(float(x), float(y), float(z)));                             \
  }                                                                                                   \
  METAL_FUNC brief frexp(brief x, thread int &power) {                                                \
    return static_cast<brief>(__metal_frexp(static_cast<float>(x), &power));                          \
  }                                                                                                   \
  METAL_FUNC brief modf(brief x, thread brief &whole) {                                               \
    float w;                                                                                          \
    const brief part = static_cast<brief>(__metal_modf(static_cast<float>(x), &w, how));              \
    whole = static_cast<brief>(w);                                                                    \
    return part;                                                                                      \
  }                                                                                                   \
  METAL_FUNC brief sincos(brief x, thread brief &cosine) {                                            \
    float c;                                                                                          \
    const brief sine = static_cast<brief>(__metal_sincos(static_cast<float>(x), &c, how));            \
    cosine = static_cast<brief>(c);                                                                   \
    return sine;                                                                                      \
  }                                                                                                   \
  METAL_FUNC int ilogb(brief x) { return __metal_ilogb(static_cast<float>(x)); }                      \
  METAL_FUNC brief ldexp(brief x, int k) { return brief(__metal_ldexp(float(x), k, how)); }           \
  METAL_FUNC bool isnan(brief x) { return __metal_isnan(static_cast<float>(x), how); }                \
  METAL_FUNC bool signbit(brief x) { return __metal_signbit(static_cast<float>(x)); }                 \
  METAL_FUNC brief max(brief x, brief y) { return brief(__metal_fmax(float(x), float(y), how)); }

#define WRAP_LANES(group)                                                                               \
  METAL_FUNC brief group##_broadcast(brief x, ushort lane) {                                            \
    return of_bits(__metal_##group##_broadcast(bits_of(x), lane));                                      \
  }                                                                                                     \
  METAL_FUNC brief group##_shuffle_xor(brief x, ushort mask) {                                          \
    return of_bits(__metal_##group##_shuffle_xor(bits_of(x), mask));                                    \
  }                                                                                                     \
  METAL_FUNC brief group##_shuffle_and_fill_down(brief x, brief filling, ushort delta) {                \
    return of_bits(__metal_##group##_shuffle_and_fill_down(bits_of(x), bits_of(filling), delta,         \
                                                           __metal_get_##group##group_size(ushort()))); \
  }                                                                                                     \
  METAL_FUNC brief group##_sum(brief x) { return brief(__metal_##group##_sum(float(x))); }              \
  METAL_FUNC brief group##_max(brief x) { return brief(__metal_##group##_max(float(x))); }              \
  METAL_FUNC brief group##_prefix_inclusive_sum(brief x) {                                              \
    return brief(__metal_##group##_prefix_inclusive_sum(float(x)));                                     \
  }

namespace metal {
WRAP_ALL(__METAL_MAYBE_FAST_MATH__);
namespace fast {
WRAP_ALL(__METAL_FAST_MATH__);
}
namespace precise {
WRAP_ALL(__METAL_PRECISE_MATH__);
}
WRAP_LANES(simd);
WRAP_LANES(quad);
}  // namespace metal

// How often a function of the brief type is not the wide one's result, rounded.
#define DIFFERS1(name)                                                        \
  wrong += bits_of(name(x)) != bits_of(brief(metal::name(float(x))));         \
  wrong += bits_of(fast::name(x)) != bits_of(brief(fast::name(float(x))));    \
  wrong += bits_of(precise::name(x)) != bits_of(brief(precise::name(float(x))));
kernel void compare(device const brief *in [[buffer(0)]], device int *out [[buffer(1)]],
                    device brief *values [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  const brief x = in[i], y = in[i ^ 1];
  int wrong = 0;
  DIFFERS1(acos) DIFFERS1(asin) DIFFERS1(atan) DIFFERS1(ceil) DIFFERS1(cospi) DIFFERS1(exp) DIFFERS1(fabs)
  DIFFERS1(floor) DIFFERS1(fract) DIFFERS1(log2) DIFFERS1(rint) DIFFERS1(rsqrt) DIFFERS1(sin) DIFFERS1(sqrt)
  DIFFERS1(tanh) DIFFERS1(tanpi) DIFFERS1(trunc)
  wrong += float(fmax(x, y)) != metal::max(float(x), float(y)) || float(fma(x, y, x)) != float(brief(float(x) * float(y) + float(x)));
  wrong += float(clamp(x, brief(0.25f), brief(0.5f))) != metal::clamp(float(x), 0.25f, 0.5f);
  int power = 0;
  const brief fraction = frexp(brief(6), power);
  brief whole = 0, cosine = 0;
  const brief part = modf(brief(2.75f), whole), sine = precise::sincos(brief(0), cosine);
  out[i] = wrong;
  if (i == 0) {
    const brief all[] = {fraction, brief(power), part, whole, sine, cosine, ldexp(brief(3), 4), brief(ilogb(brief(40))),
                         brief(isnan(brief(NAN))), brief(signbit(brief(-1))), max(brief(1), brief(2))};
    for (int k = 0; k < 11; ++k) values[32 * 5 + k] = all[k];
  }
  values[i] = simd_sum(brief(i));
  values[32 + i] = simd_broadcast(x, 3);
  values[64 + i] = simd_shuffle_and_fill_down(brief(i), brief(100), 2);
  values[96 + i] = quad_prefix_inclusive_sum(brief(i));
  values[128 + i] = quad_shuffle_xor(brief(i), 1) + quad_max(brief(i)) + simd_max(brief(i));
}
