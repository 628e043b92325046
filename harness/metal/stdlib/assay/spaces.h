// What clang reads ahead of a kernel's text when it looks at address spaces (harness/metal/clang/spaces.hpp):
// Metal's types, and no functions. What it does not know it passes over. OpenCL's spaces stand for Metal's.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define METAL_FUNC inline
#define INFINITY (1.0f / 0.0f)
#define NAN (0.0f / 0.0f)

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
typedef ulong size_t;
typedef long ptrdiff_t;
struct bfloat {
  ushort bits;
  bfloat() = default;
  template <class T>
  bfloat(T x);
  template <class T>
  operator T() const;
};

#define ASSAY_VECTOR(T, N)                                    \
  typedef T T##N __attribute__((ext_vector_type(N)));         \
  typedef T packed_##T##N __attribute__((ext_vector_type(N)));
#define ASSAY_VECTORS(T) ASSAY_VECTOR(T, 2) ASSAY_VECTOR(T, 3) ASSAY_VECTOR(T, 4)
ASSAY_VECTORS(char)
ASSAY_VECTORS(uchar)
ASSAY_VECTORS(short)
ASSAY_VECTORS(ushort)
ASSAY_VECTORS(int)
ASSAY_VECTORS(uint)
ASSAY_VECTORS(long)
ASSAY_VECTORS(ulong)
ASSAY_VECTORS(half)
ASSAY_VECTORS(float)

namespace metal {
template <class T, int N>
using vec = T __attribute__((ext_vector_type(N)));
template <class T, int N>
using packed_vec = T __attribute__((ext_vector_type(N)));
template <class T>
struct _atomic {
  T value;
};
template <class T>
using atomic = _atomic<T>;
typedef _atomic<int> atomic_int;
typedef _atomic<uint> atomic_uint;
typedef _atomic<bool> atomic_bool;
typedef _atomic<float> atomic_float;
typedef _atomic<ulong> atomic_ulong;
template <class T, int C, int R>
struct matrix {
  vec<T, R> columns[C];
};
template <class T, int C, int R>
struct simdgroup_matrix {
  simdgroup_matrix() = default;
  explicit simdgroup_matrix(T x);
};
typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;
enum class mem_flags { mem_none, mem_device, mem_threadgroup, mem_texture };
enum memory_order { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
}  // namespace metal
#define ASSAY_MATRIX(T, C, R) typedef metal::matrix<T, C, R> T##C##x##R;
#define ASSAY_MATRICES(T) \
  ASSAY_MATRIX(T, 2, 2) ASSAY_MATRIX(T, 2, 3) ASSAY_MATRIX(T, 2, 4) ASSAY_MATRIX(T, 3, 2) ASSAY_MATRIX(T, 3, 3) \
  ASSAY_MATRIX(T, 3, 4) ASSAY_MATRIX(T, 4, 2) ASSAY_MATRIX(T, 4, 3) ASSAY_MATRIX(T, 4, 4)
ASSAY_MATRICES(half)
ASSAY_MATRICES(float)
using metal::simdgroup_bfloat8x8;
using metal::simdgroup_float8x8;
using metal::simdgroup_half8x8;
using metal::atomic_bool;
using metal::atomic_float;
using metal::atomic_int;
using metal::atomic_uint;
template <class To, class From>
To as_type(From from);

// Metal's words, behind everything of this file's own.
#define kernel
#define device __global
#define constant __constant
#define constant_object __constant
#define threadgroup __attribute__((assay_local)) __local
#define thread __private
#define assay_coherent
#define assay_assignment(name)
