// The names of the vector and matrix types, global as in Metal and members of namespace metal alike.
#pragma once
#include "metal/matrix.h"
#include "metal/packed_vec.h"

// M(name, T, N) for every vector type.
#define ASSAY_VECTOR_NAMES(M, T) M(T##2, T, 2) M(T##3, T, 3) M(T##4, T, 4)
#define ASSAY_ALL_VECTORS(M)    \
  ASSAY_VECTOR_NAMES(M, bool)   \
  ASSAY_VECTOR_NAMES(M, char)   \
  ASSAY_VECTOR_NAMES(M, uchar)  \
  ASSAY_VECTOR_NAMES(M, short)  \
  ASSAY_VECTOR_NAMES(M, ushort) \
  ASSAY_VECTOR_NAMES(M, int)    \
  ASSAY_VECTOR_NAMES(M, uint)   \
  ASSAY_VECTOR_NAMES(M, long)   \
  ASSAY_VECTOR_NAMES(M, ulong)  \
  ASSAY_VECTOR_NAMES(M, half)   \
  ASSAY_VECTOR_NAMES(M, bfloat) \
  ASSAY_VECTOR_NAMES(M, float)
#define ASSAY_ALL_MATRICES(M) \
  M(float2x2, float, 2, 2)    \
  M(float2x3, float, 2, 3)    \
  M(float2x4, float, 2, 4)    \
  M(float3x2, float, 3, 2)    \
  M(float3x3, float, 3, 3)    \
  M(float3x4, float, 3, 4)    \
  M(float4x2, float, 4, 2)    \
  M(float4x3, float, 4, 3)    \
  M(float4x4, float, 4, 4)    \
  M(half2x2, half, 2, 2)      \
  M(half2x3, half, 2, 3)      \
  M(half2x4, half, 2, 4)      \
  M(half3x2, half, 3, 2)      \
  M(half3x3, half, 3, 3)      \
  M(half3x4, half, 3, 4)      \
  M(half4x2, half, 4, 2)      \
  M(half4x3, half, 4, 3)      \
  M(half4x4, half, 4, 4)

#define ASSAY_NAME(name, T, N)       \
  typedef assay_msl::vec<T, N> name; \
  typedef assay_msl::packed_vec<T, N> packed_##name;
ASSAY_ALL_VECTORS(ASSAY_NAME)
#undef ASSAY_NAME
#define ASSAY_NAME(name, T, C, R) typedef assay_msl::matrix<T, C, R> name;
ASSAY_ALL_MATRICES(ASSAY_NAME)
#undef ASSAY_NAME
using assay_msl::as_type;

namespace metal {
#define ASSAY_NAME(name, T, N) \
  using ::name;                \
  using ::packed_##name;
ASSAY_ALL_VECTORS(ASSAY_NAME)
#undef ASSAY_NAME
#define ASSAY_NAME(name, T, C, R) using ::name;
ASSAY_ALL_MATRICES(ASSAY_NAME)
#undef ASSAY_NAME
using ::as_type;
using ::bfloat;
using ::half;
using ::uchar;
using ::uint;
using ::ulong;
using ::ushort;
/// A value that is the same in every thread; the promise is not checked.
template <class T>
using uniform = T;
template <class T>
ASSAY_INLINE constexpr T make_uniform(T x) {
  return x;
}
}  // namespace metal
#undef ASSAY_ALL_MATRICES
#undef ASSAY_ALL_VECTORS
#undef ASSAY_VECTOR_NAMES
