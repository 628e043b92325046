// Metal's suffixes of numbers: `1.5h`, `2h` are halves. clang takes no other suffix of this kind, so that `H` and
// `bf` come as it takes them (harness/metal/clang/spelling.hpp). Each is rounded once: numbers without a suffix are floats,
// but what a suffix is given is not.
#pragma once
#include "metal/scalar_types.h"

constexpr ASSAY_INLINE half operator""h(long double x) { return half(x); }
constexpr ASSAY_INLINE half operator""h(unsigned long long x) { return half(x); }
/// By way of float, as a bfloat is made of any number.
constexpr ASSAY_INLINE bfloat operator""_bf(long double x) { return bfloat(float(x)); }
constexpr ASSAY_INLINE bfloat operator""_bf(unsigned long long x) { return bfloat(ulong(x)); }
