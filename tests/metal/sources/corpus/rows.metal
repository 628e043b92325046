// Norms and softmax by rows: reductions over lanes and simdgroups, constexpr limits, vectors of four.
#include <metal_common>
#include <metal_math>
#include <metal_simdgroup>
#include <metal_stdlib>
using namespace metal;
template <typename U>
struct Limits {
  static const constant U max = metal::numeric_limits<U>::max();
  static const constant U min = metal::numeric_limits<U>::min();
  static const constant U finite_max = metal::numeric_limits<U>::max();
  static const constant U finite_min = metal::numeric_limits<U>::min();
};
#define instantiate_float_limit(type)                                                \
  template <>                                                                        \
  struct Limits<type> {                                                              \
    static constexpr constant type max = metal::numeric_limits<type>::infinity();    \
    static constexpr constant type min = -metal::numeric_limits<type>::infinity();   \
    static constexpr constant type finite_max = metal::numeric_limits<type>::max();  \
    static constexpr constant type finite_min = -metal::numeric_limits<type>::max(); \
  };
instantiate_float_limit(half);
instantiate_float_limit(float);
instantiate_float_limit(bfloat);
template <>
struct Limits<bool> {
  static constexpr constant bool max = true;
  static constexpr constant bool min = false;
};
struct NormArgs {
  int32_t ne00, ne00_4;
  uint64_t nb01, nb1;
  float eps;
};
constant bool has_w [[function_constant(20)]];
constant bool not_masked [[function_constant(21)]];
constant int kWidth [[function_constant(22)]];
constant float kScaleDefault = 0.5f;
constant bool has_all = has_w && not_masked;
constant int kWidthOrDefault = is_function_constant_defined(kWidth) ? kWidth : 64;

// function_constants: 20 = true, 21 = false, 22 = 32
template <typename T, typename AccT = float, int N_READS = 4>
[[kernel]] void row_norm(const device T* x, const device T* w, device T* out, constant float& eps,
                         constant uint& axis_size, constant uint& w_stride, uint gid [[threadgroup_position_in_grid]],
                         uint lid [[thread_position_in_threadgroup]], uint simd_lane_id [[thread_index_in_simdgroup]],
                         uint simd_group_id [[simdgroup_index_in_threadgroup]]) {
  constexpr int SIMD_SIZE = 32;
  threadgroup float local_inv_mean[1];
  threadgroup float local_sums[SIMD_SIZE];
  AccT acc = 0;
  x += gid * size_t(axis_size) + lid * N_READS;
  w += w_stride * lid * N_READS;
  if (lid * N_READS + N_READS <= axis_size) {
    for (int i = 0; i < N_READS; i++) {
      AccT xi = x[i];
      acc += xi * xi;
    }
  } else {
    for (int i = 0; i < N_READS; i++) {
      if ((lid * N_READS + i) < axis_size) {
        AccT xi = x[i];
        acc += xi * xi;
      }
    }
  }
  acc = simd_sum(acc);
  if (simd_group_id == 0) local_sums[simd_lane_id] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simd_lane_id == 0) local_sums[simd_group_id] = acc;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simd_group_id == 0) {
    acc = simd_sum(local_sums[simd_lane_id]);
    if (simd_lane_id == 0) local_inv_mean[0] = metal::precise::rsqrt(acc / axis_size + eps);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out += gid * size_t(axis_size) + lid * N_READS;
  if (has_w) {
    for (int i = 0; i < N_READS && lid * N_READS + i < axis_size; i++) {
      out[i] = w[w_stride * i] * static_cast<T>(x[i] * local_inv_mean[0]);
    }
  } else if (!has_all) {
    for (int i = 0; i < N_READS && lid * N_READS + i < axis_size; i++) out[i] = x[i] * local_inv_mean[0] * kScaleDefault;
  }
}
#define instantiate_row_norm(name, itype) \
  template [[host_name("row_norm" #name)]] [[kernel]] decltype(row_norm<itype>) row_norm<itype>;
instantiate_row_norm(float32, float) instantiate_row_norm(float16, half) instantiate_row_norm(bfloat16, bfloat)

template <typename T>
inline T softmax_exp(T x) { return fast::exp(x); }
template <typename T, typename AccT = T, int N_READS = 4>
[[kernel, max_total_threads_per_threadgroup(1024)]] void softmax_rows(
    const device T* in, device T* out, constant int& axis_size, uint gid [[threadgroup_position_in_grid]],
    uint _lid [[thread_position_in_threadgroup]], uint simd_lane_id [[thread_index_in_simdgroup]],
    uint simd_group_id [[simdgroup_index_in_threadgroup]]) {
  int lid = _lid;
  constexpr int SIMD_SIZE = 32;
  threadgroup AccT local_max[SIMD_SIZE];
  threadgroup AccT local_normalizer[SIMD_SIZE];
  AccT ld[N_READS];
  in += gid * size_t(axis_size) + lid * N_READS;
  for (int i = 0; i < N_READS; i++)
    ld[i] = ((lid * N_READS + i) < axis_size) ? AccT(in[i]) : Limits<AccT>::min;
  if (simd_group_id == 0) {
    local_max[simd_lane_id] = Limits<AccT>::min;
    local_normalizer[simd_lane_id] = 0;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  AccT maxval = Limits<AccT>::finite_min;
  for (int i = 0; i < N_READS; i++) maxval = (maxval < ld[i]) ? ld[i] : maxval;
  maxval = simd_max(maxval);
  if (simd_lane_id == 0) local_max[simd_group_id] = maxval;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  maxval = simd_max(local_max[simd_lane_id]);
  AccT normalizer = 0;
  for (int i = 0; i < N_READS; i++) {
    AccT exp_x = softmax_exp(ld[i] - maxval);
    ld[i] = exp_x;
    normalizer += exp_x;
  }
  normalizer = simd_sum(normalizer);
  if (simd_lane_id == 0) local_normalizer[simd_group_id] = normalizer;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  normalizer = 1 / simd_sum(local_normalizer[simd_lane_id]);
  out += gid * size_t(axis_size) + lid * N_READS;
  for (int i = 0; i < N_READS; i++) {
    if ((lid * N_READS + i) < axis_size) out[i] = T(ld[i] * normalizer);
  }
}
template [[host_name("softmax_float")]] [[kernel]] decltype(softmax_rows<float>) softmax_rows<float>;
template [[host_name("softmax_half_precise")]] [[kernel]] decltype(softmax_rows<half, float>) softmax_rows<half, float>;

kernel void norm_of_four(constant struct NormArgs & args, device const char * src0, device char * dst,
        threadgroup float * shmem_f32 [[threadgroup(0)]],
        uint3   tgpig[[threadgroup_position_in_grid]], ushort3 tpitg[[thread_position_in_threadgroup]],
        ushort  sgitg[[simdgroup_index_in_threadgroup]], ushort  tiisg[[thread_index_in_simdgroup]],
        ushort3   ntg[[threads_per_threadgroup]]) {
    if (sgitg == 0) {
        shmem_f32[tiisg] = 0.0f;
    }
    device const float4 * x = (device const float4 *) (src0 + tgpig.x*args.nb01);
    float4 sumft(0.0f);
    float sumf = 0.0f;
    for (int i00 = tpitg.x; i00 < args.ne00_4; i00 += ntg.x) {
        sumf += dot(x[i00], x[i00]);
        sumft += x[i00];
    }
    sumf = simd_sum(sumf) + simd_sum(sumft.x + sumft.y + sumft[2] + sumft.w) * 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tiisg == 0) {
        shmem_f32[sgitg] = sumf;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sumf = shmem_f32[tiisg];
    sumf = simd_sum(sumf);
    const float mean  = sumf/args.ne00;
    const float scale = 1.0f/sqrt(mean + args.eps);
    device float4 * y = (device float4 *) (dst + tgpig.x*args.nb1);
    for (int i00 = tpitg.x; i00 < args.ne00_4; i00 += ntg.x) {
        y[i00] = (x[i00]*scale);
    }
}
