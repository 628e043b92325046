// <simd/simd.h>: the names under which headers shared with the host have Metal's types. Unlike its neighbours
// this header is not empty: the front end reads it as part of the kernel's text.
#pragma once

#define ASSAY_SIMD_VECTOR(name, type) \
  typedef type vector_##name##1;      \
  typedef type simd_##name##1;        \
  typedef type##2 vector_##name##2;   \
  typedef type##3 vector_##name##3;   \
  typedef type##4 vector_##name##4;   \
  typedef type##2 simd_##name##2;     \
  typedef type##3 simd_##name##3;     \
  typedef type##4 simd_##name##4;     \
  namespace simd {                    \
  typedef ::type##2 name##2;          \
  typedef ::type##3 name##3;          \
  typedef ::type##4 name##4;          \
  }
ASSAY_SIMD_VECTOR(char, char)
ASSAY_SIMD_VECTOR(uchar, uchar)
ASSAY_SIMD_VECTOR(short, short)
ASSAY_SIMD_VECTOR(ushort, ushort)
ASSAY_SIMD_VECTOR(int, int)
ASSAY_SIMD_VECTOR(uint, uint)
ASSAY_SIMD_VECTOR(long, long)
ASSAY_SIMD_VECTOR(ulong, ulong)
ASSAY_SIMD_VECTOR(half, half)
ASSAY_SIMD_VECTOR(float, float)
#undef ASSAY_SIMD_VECTOR

#define ASSAY_SIMD_MATRIX(name)    \
  typedef name matrix_##name;      \
  typedef name simd_##name;        \
  namespace simd {                 \
  typedef ::name name;             \
  }
ASSAY_SIMD_MATRIX(float2x2)
ASSAY_SIMD_MATRIX(float2x3)
ASSAY_SIMD_MATRIX(float2x4)
ASSAY_SIMD_MATRIX(float3x2)
ASSAY_SIMD_MATRIX(float3x3)
ASSAY_SIMD_MATRIX(float3x4)
ASSAY_SIMD_MATRIX(float4x2)
ASSAY_SIMD_MATRIX(float4x3)
ASSAY_SIMD_MATRIX(float4x4)
ASSAY_SIMD_MATRIX(half2x2)
ASSAY_SIMD_MATRIX(half2x3)
ASSAY_SIMD_MATRIX(half2x4)
ASSAY_SIMD_MATRIX(half3x2)
ASSAY_SIMD_MATRIX(half3x3)
ASSAY_SIMD_MATRIX(half3x4)
ASSAY_SIMD_MATRIX(half4x2)
ASSAY_SIMD_MATRIX(half4x3)
ASSAY_SIMD_MATRIX(half4x4)
#undef ASSAY_SIMD_MATRIX
