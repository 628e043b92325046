// Everything that a lowered Metal kernel sees ahead of its own text: the stand-in for <metal_stdlib>.
#pragma once
#pragma GCC system_header

#define METAL_FUNC inline __attribute__((__always_inline__))

#include "assay/runtime.h"
#include "metal/array.h"
#include "metal/common.h"
#include "metal/geometric.h"
#include "metal/integer.h"
#include "metal/limits.h"
#include "metal/math.h"
#include "metal/matrix.h"
#include "metal/scalar_types.h"
#include "metal/simdgroup.h"
#include "metal/simdgroup_matrix.h"
#include "metal/synchronize.h"
#include "metal/type_names.h"
#include "metal/type_traits.h"
#include "metal/vec.h"

namespace metal {
/// The accurate and the quick variants are the same functions here.
#define ASSAY_FLOAT_FUNCTIONS                                                                              \
  using metal::abs, metal::acos, metal::acosh, metal::asin, metal::asinh, metal::atan, metal::atan2,       \
      metal::atanh;                                                                                        \
  using metal::ceil, metal::clamp, metal::copysign, metal::cos, metal::cosh, metal::cospi, metal::divide;  \
  using metal::exp, metal::exp10, metal::exp2, metal::fabs, metal::fdim, metal::floor, metal::fma,         \
      metal::fmax;                                                                                         \
  using metal::fmax3, metal::fmedian3, metal::fmin, metal::fmin3, metal::fmod, metal::fract, metal::frexp; \
  using metal::ilogb, metal::isfinite, metal::isinf, metal::isnan, metal::isnormal, metal::ldexp,          \
      metal::log;                                                                                          \
  using metal::log10, metal::log2, metal::max, metal::max3, metal::median3, metal::min, metal::min3,       \
      metal::mix;                                                                                          \
  using metal::modf, metal::pow, metal::powr, metal::rint, metal::round, metal::rsqrt, metal::saturate;    \
  using metal::select, metal::sign, metal::signbit, metal::sin, metal::sincos, metal::sinh, metal::sinpi;  \
  using metal::smoothstep, metal::sqrt, metal::step, metal::tan, metal::tanh, metal::tanpi, metal::trunc;  \
  using metal::cross, metal::distance, metal::dot, metal::length, metal::normalize, metal::nextafter;
namespace precise {
ASSAY_FLOAT_FUNCTIONS
}
namespace fast {
ASSAY_FLOAT_FUNCTIONS
}
#undef ASSAY_FLOAT_FUNCTIONS
}  // namespace metal
