// A library of helpers in nested namespaces beside kernels that use them with and without their names.
#include <metal_stdlib>
#include <metal_array>
namespace helpers {
namespace metal {
namespace detail {
template <typename T>
struct vectypes {};
template <>
struct vectypes<float> {
  using type4 = float4;
  using type2 = float2;
};
template <>
struct vectypes<half> {
  using type4 = half4;
  using type2 = half2;
};
template <>
struct vectypes<bfloat> {
  using type4 = bfloat4;
  using type2 = bfloat2;
};
template <typename T>
struct OpMath {
  using type = T;
};
template <>
struct OpMath<half> {
  using type = float;
};
template <>
struct OpMath<bfloat> {
  using type = float;
};
}  // namespace detail
template <typename T>
using vec2type_t = typename detail::vectypes<T>::type2;
template <typename T>
using vec4type_t = typename detail::vectypes<T>::type4;
template <typename T>
using opmath_t = typename detail::OpMath<T>::type;
template <typename T>
constexpr constant bool is_scalar_floating_point_v = ::metal::is_floating_point_v<T> && ::metal::is_scalar_v<T>;
template <typename T, typename U>
using common_dtype = decltype(T(0) + U(0));
template <typename T, ::metal::enable_if_t<::metal::is_floating_point_v<T>, bool> = true>
inline T max(T a, T b) {
  return ::metal::isunordered(a, b) ? NAN : ::metal::max(a, b);
}
template <typename T, ::metal::enable_if_t<::metal::is_integral_v<T>, bool> = true>
inline T max(T a, T b) {
  return ::metal::max(a, b);
}
template <typename T>
inline ::metal::enable_if_t<::metal::is_same_v<T, long>, T> simd_sum(T val) {
  for (ushort i = 16; i > 0; i /= 2) {
    val += as_type<T>(::metal::simd_shuffle_and_fill_down(as_type<int2>(val), int2(0), i));
  }
  return as_type<T>(::metal::simd_broadcast(as_type<int2>(val), 0));
}
template <typename T>
inline ::metal::enable_if_t<!::metal::is_same_v<T, long>, T> simd_sum(T val) {
  return T(::metal::simd_sum(val));
}
template <typename T>
opmath_t<T> threadgroup_sum(threadgroup opmath_t<T>* data, opmath_t<T> val, unsigned idx, unsigned size) {
  auto rc = simd_sum(val);
  if (idx % 32 == 0) data[idx / 32] = rc;
  if (size > 32) {
    ::metal::threadgroup_barrier(::metal::mem_flags::mem_threadgroup);
    if (idx < ((size + 31) / 32)) rc = simd_sum(data[idx]);
  }
  return rc;
}
template <unsigned N, class T>
struct strided_iterator_access {
  static inline device T& ref_at_offs(device void* ptr, long offs) { return *reinterpret_cast<device T*>(static_cast<device char*>(ptr) + offs); }
};
template <typename T>
inline T val_at_offs(constant void* ptr, long offs) {
  return *reinterpret_cast<constant T*>(static_cast<constant char*>(ptr) + offs);
}
template <typename T>
inline T val_at_offs(device const void* ptr, long offs) {
  return *reinterpret_cast<device const T*>(static_cast<device const char*>(ptr) + offs);
}
template <typename T, typename Op = void>
struct AtomicType {};
template <>
struct AtomicType<float> {
  using type = ::metal::atomic<float>;
  static inline void atomic_add(device type* data, long offset, float value) {
    ::metal::atomic_fetch_add_explicit(data + offset, value, ::metal::memory_order_relaxed);
  }
};
constant float EULER = 0.57721566f;
template <typename T>
T digamma_like(T x) {
  using ::metal::floor;
  using ::metal::log;
  float r = x;
  if (r == ::metal::floor(r)) return T(INFINITY);
  for (; r < 6; ++r) continue;
  return T(log(r) - 1 / (2 * r) - EULER + ::metal::precise::log(r) + floor(r));
}
}  // namespace metal
}  // namespace helpers
using namespace metal;
using namespace helpers::metal::detail;
using helpers::metal::opmath_t;
template <typename T>
kernel void reduce_rows(constant T* input [[buffer(0)]], device T* output [[buffer(1)]], constant ::metal::array<uint, 4>& sizes [[buffer(2)]],
                        uint tid [[thread_position_in_threadgroup]], uint tptg [[threads_per_threadgroup]], uint row [[threadgroup_position_in_grid]]) {
  threadgroup opmath_t<T> shared[32];
  opmath_t<T> sum = 0;
  for (uint c = tid; c < sizes[0]; c += tptg) sum += static_cast<opmath_t<T>>(input[row * sizes[0] + c]);
  const auto rc = helpers::metal::threadgroup_sum<T>(shared, sum, tid, tptg);
  using vec4 = helpers::metal::vec4type_t<T>;
  constant vec4* fours = reinterpret_cast<constant vec4*>(input);
  if (tid == 0) output[row] = static_cast<T>(rc + helpers::metal::max(opmath_t<T>(fours[0].x), opmath_t<T>(0)));
}
#define REGISTER_REDUCE(DTYPE)                                                                                        \
  template [[host_name("reduce_rows_" #DTYPE)]] kernel void reduce_rows<DTYPE>(                                       \
      constant DTYPE* input [[buffer(0)]], device DTYPE* output [[buffer(1)]], constant ::metal::array<uint, 4>&      \
      sizes [[buffer(2)]], uint tid [[thread_position_in_threadgroup]], uint tptg [[threads_per_threadgroup]],        \
      uint row [[threadgroup_position_in_grid]])
REGISTER_REDUCE(float);
REGISTER_REDUCE(half);
REGISTER_REDUCE(bfloat);
kernel void indexed(device void* out [[buffer(0)]], constant void* in [[buffer(1)]], device const void* offsets [[buffer(2)]],
                    device helpers::metal::AtomicType<float>::type* sums [[buffer(3)]], constant long4& strides [[buffer(4)]],
                    constant ulong& n [[buffer(5)]], uint tid [[thread_position_in_grid]]) {
  const auto at = helpers::metal::val_at_offs<int64_t>(offsets, tid * strides.x);
  helpers::metal::strided_iterator_access<2, float>::ref_at_offs(out, at) = helpers::metal::val_at_offs<float>(in, tid * sizeof(float)) + helpers::metal::digamma_like<half>(2.5h);
  helpers::metal::AtomicType<float>::atomic_add(sums, 0, 1.0f);
  helpers::metal::common_dtype<half, float> both = 1;
  long all = helpers::metal::simd_sum(long(tid));
  if (tid < n) reinterpret_cast<device float*>(out)[tid] += both + float(all) + helpers::metal::is_scalar_floating_point_v<float>;
}
