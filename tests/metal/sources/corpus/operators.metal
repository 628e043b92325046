// Operators as structs, kernels over them by macros of macros, indices by strides in several forms.
#pragma once
#include <metal_integer>
#include <metal_math>
#include <metal_stdlib>
typedef half float16_t;
typedef bfloat bfloat16_t;
static_assert(sizeof(bfloat16_t) == 2);
#define DEFINE_LIMIT 1e-5
namespace ops {
struct Add {
  template <typename T>
  T operator()(T x, T y) {
    return x + y;
  }
};
struct FloorDivide {
  template <typename T>
  T operator()(T x, T y) { return x / y; }
  template <>
  float operator()(float x, float y) { return metal::trunc(x / y); }
  template <>
  half operator()(half x, half y) { return metal::trunc(x / y); }
};
struct Remainder {
  template <typename T>
  metal::enable_if_t<metal::is_integral_v<T> & !metal::is_signed_v<T>, T> operator()(T x, T y) { return x % y; }
  template <typename T>
  metal::enable_if_t<metal::is_integral_v<T> & metal::is_signed_v<T>, T> operator()(T x, T y) {
    auto r = x % y;
    if (r != 0 && (r < 0 != y < 0)) r += y;
    return r;
  }
  template <typename T>
  metal::enable_if_t<!metal::is_integral_v<T>, T> operator()(T x, T y) {
    T r = metal::fmod(x, y);
    if (r != 0 && (r < 0 != y < 0)) r += y;
    return r;
  }
};
struct LogAddExp {
  template <typename T>
  T operator()(T x, T y) {
    if (metal::isnan(x) || metal::isnan(y)) return metal::numeric_limits<T>::quiet_NaN();
    constexpr T inf = metal::numeric_limits<T>::infinity();
    T maxval = metal::max(x, y);
    T minval = metal::min(x, y);
    return (minval == -inf || maxval == inf) ? maxval : (maxval + T(metal::log(1 + float(metal::exp(minval - maxval)))));
  };
};
struct Power {
  template <typename T>
  metal::enable_if_t<!metal::is_integral_v<T>, T> operator()(T base, T exp) { return metal::pow(base, exp); }
  template <typename T>
  metal::enable_if_t<metal::is_integral_v<T>, T> operator()(T base, T exp) {
    T res = 1;
    if (exp < 0) return 0;
    while (exp) {
      if (exp & 1) res *= base;
      exp >>= 1;
      base *= base;
    }
    return res;
  }
};
struct Sigmoid {
  template <typename T>
  T operator()(T x) {
    auto y = 1 / (1 + metal::exp(metal::abs(x)));
    return (x < 0) ? y : 1 - y;
  }
};
struct Erf {
  template <typename T>
  T operator()(T x) { return static_cast<T>(erf_of(static_cast<float>(x))); }
  static float erf_of(float a) {
    float r, s, t, u;
    t = metal::abs(a);
    s = a * a;
    if (t > 0.927734375f) {
      r = metal::fma(-1.72853470e-5f, t, 3.83197126e-4f);
      u = metal::fma(-3.88396438e-3f, t, 2.42546219e-2f);
      r = metal::fma(r, s, u);
      r = metal::fma(r, t, -t);
      r = 1.0f - metal::exp(r);
      r = metal::copysign(r, a);
    } else {
      r = metal::fma(-5.96761703e-4f, s, 4.99119423e-3f);
      r = metal::fma(r, a, a);
    }
    return r;
  }
};
struct ToBool {
  template <typename T>
  bool operator()(T x, T y) { return x && y; }
};
struct DivMod {
  template <typename T>
  metal::array<T, 2> operator()(T x, T y) { return {FloorDivide{}(x, y), Remainder{}(x, y)}; };
};
}  // namespace ops
using namespace ops;

template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc(IdxT elem, constant const int* shape, constant const int64_t* strides, int ndim) {
  IdxT loc = 0;
  for (int i = ndim - 1; i >= 0 && elem > 0; --i) {
    loc += (elem % shape[i]) * IdxT(strides[i]);
    elem /= shape[i];
  }
  return loc;
}
template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc(uint3 elem, constant const int* shape, constant const int64_t* strides, int ndim) {
  IdxT loc = elem.x * IdxT(strides[ndim - 1]) + elem.y * IdxT(strides[ndim - 2]);
  for (int d = ndim - 3; d >= 0; --d) {
    loc += (elem.z % shape[d]) * IdxT(strides[d]);
    elem.z /= shape[d];
  }
  return loc;
}
template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc_1(uint elem, constant const int64_t& stride) { return elem * IdxT(stride); }
template <int DIM, typename OffsetT = size_t, bool General = true>
struct Looped {
  Looped<DIM - 1, OffsetT, General> inner;
  OffsetT offset{0};
  int index{0};
  Looped(int dim) : inner(dim - 1) {}
  void next(const constant int* shape, const constant int64_t* strides) {
    if (dim_done(shape)) return;
    index++;
    offset += OffsetT(strides[DIM - 1]);
    if (index >= shape[DIM - 1]) {
      index = 0;
      inner.next(shape, strides);
      offset = inner.offset;
    }
  }
  bool dim_done(const constant int* shape) { return shape[0] == 0; }
};
template <typename OffsetT>
struct Looped<1, OffsetT, true> {
  int dim;
  OffsetT offset{0};
  uint index{0};
  Looped(int dim) : dim(dim) {}
  void next(const constant int* shape, const constant int64_t* strides) {
    index++;
    if (dim > 1) offset = elem_to_loc<OffsetT>(index, shape, strides, dim);
    else offset += OffsetT(strides[0]);
  }
};
inline size_t ceildiv(size_t n, size_t m) { return (n + m - 1) / m; }
constexpr METAL_FUNC uint64_t rounded(uint64_t x) { return (x + 7) / 8 * 8; }

template <typename T, typename U, typename Op>
[[kernel]] void binary_ss(device const T* a, device const T* b, device U* c, uint index [[thread_position_in_grid]]) {
  c[index] = Op()(a[0], b[0]);
}
template <typename T, typename U, typename Op, int N = 4>
[[kernel]] void binary_vv(device const T* a, device const T* b, device U* c, constant uint& size, uint2 index [[thread_position_in_grid]], uint2 grid_dim [[threads_per_grid]]) {
  int64_t offset = N * (index.x + grid_dim.x * int64_t(index.y));
  if (N > 1 && offset + N > size) {
    for (int i = 0; offset + i < size; ++i) c[offset + i] = Op()(a[offset + i], b[offset + i]);
  } else {
    for (int i = 0; i < N; ++i) c[offset + i] = Op()(a[offset + i], b[offset + i]);
  }
}
template <typename T, typename U, typename Op, typename IdxT = int64_t>
[[kernel]] void binary_g1(device const T* a, device const T* b, device U* c, constant const int64_t& a_stride, constant const int64_t& b_stride, uint index [[thread_position_in_grid]]) {
  auto a_idx = elem_to_loc_1<IdxT>(index, a_stride);
  auto b_idx = elem_to_loc_1<IdxT>(index, b_stride);
  c[index] = Op()(a[a_idx], b[b_idx]);
}
template <typename T, typename U, typename Op, int N = 1, typename IdxT = int64_t>
[[kernel]] void binary_g(device const T* a, device const T* b, device U* c, constant const int* shape, constant const int64_t* a_strides, constant const int64_t* b_strides, constant const int& ndim, uint3 index [[thread_position_in_grid]], uint3 grid_dim [[threads_per_grid]]) {
  auto idx = elem_to_loc<IdxT>({N * index.x, index.y, index.z}, shape, a_strides, ndim);
  Looped<3, IdxT> loop(ndim);
  loop.next(shape, b_strides);
  auto xshape = shape[ndim - 1];
  IdxT out_idx = N * index.x + xshape * (index.y + IdxT(grid_dim.y) * index.z);
  for (int i = 0; i < N && (int(N * index.x) + i) < xshape; ++i) {
    c[out_idx++] = Op()(a[idx], b[loop.offset]);
    idx += a_strides[ndim - 1];
  }
}
#define instantiate_kernel(name, func, ...) template [[host_name(name)]] [[kernel]] decltype(func<__VA_ARGS__>) func<__VA_ARGS__>;
#define instantiate_binary_work_per_thread(op, tname, itype, otype) instantiate_kernel("vvn_" #op #tname, binary_vv, itype, otype, op)
#define instantiate_binary_base(op, tname, itype, otype)                     \
  instantiate_kernel("ss_" #op #tname, binary_ss, itype, otype, op)          \
  instantiate_kernel("vv_" #op #tname, binary_vv, itype, otype, op, 1)       \
  instantiate_kernel("g1_" #op #tname, binary_g1, itype, otype, op, int)     \
  instantiate_kernel("gn2_" #op #tname, binary_g, itype, otype, op, 2, int)  \
  instantiate_kernel("g1large_" #op #tname, binary_g1, itype, otype, op)
#define instantiate_binary_all(op, tname, itype, otype) instantiate_binary_base(op, tname, itype, otype) instantiate_binary_work_per_thread(op, tname, itype, otype)
#define instantiate_binary_float(op) instantiate_binary_all(op, float16, half, half) instantiate_binary_base(op, bfloat16, bfloat16_t, bfloat16_t)
#define instantiate_binary_integer(op) instantiate_binary_base(op, int64, int64_t, int64_t) instantiate_binary_base(op, uint8, uint8_t, uint8_t)
instantiate_binary_float(Add)
instantiate_binary_float(LogAddExp) instantiate_kernel("vv_Remainderbfloat16", binary_vv, bfloat16_t, bfloat16_t, Remainder) // clang-format on
instantiate_binary_integer(FloorDivide)
instantiate_kernel("vv_Powerint32", binary_vv, int32_t, int32_t, Power)
instantiate_kernel("vv_Powerfloat32", binary_vv, float, float, Power)
instantiate_kernel("vv_Remainderint32", binary_vv, int32_t, int32_t, Remainder)
instantiate_kernel("vv_ToBool", binary_vv, bool, bool, ToBool)
template <typename T, typename Op> [[kernel]] void two_out(device const T* a, device const T* b, device T* c, device T* d, uint index [[thread_position_in_grid]]) {
  auto out = Op()(a[index], b[index]);
  c[index] = out[0];
  d[index] = out[1];
}
instantiate_kernel("divmod_half", two_out, half, DivMod)
template <typename T, typename Op> [[kernel]] void one_in(device const T* a, device T* b, uint index [[thread_position_in_grid]]) { b[index] = Op()(a[index]); }
instantiate_kernel("sigmoid_bfloat16", one_in, bfloat16_t, Sigmoid)
instantiate_kernel("sigmoid_half", one_in, half, Sigmoid)
instantiate_kernel("erf_half", one_in, half, Erf)
