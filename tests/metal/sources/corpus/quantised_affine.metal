// Affine weights of 2 to 8 bits as templates over the bits: constants of constexpr functions, unrolled unpacking,
// fused epilogues, several kernels that share functions.
#include <metal_simdgroup>
#include <metal_stdlib>
using namespace metal;
constant bool align_M [[function_constant(200)]];
// function_constants: 200 = true
#define MLIKE_CONST static constant constexpr const
MLIKE_CONST int SIMD_SIZE = 32;
MLIKE_CONST int QUAD_SIZE = 4;
template <int bits, int wsize = 8>
inline constexpr short get_pack_factor() {
  return (bits == 3 || bits == 5) ? 8 : (bits == 6 ? 4 : wsize / bits);
}
template <int bits, int wsize = 8>
inline constexpr short get_bytes_per_pack() {
  constexpr int power_of_2_bits = (bits & (bits - 1)) == 0;
  return power_of_2_bits ? (wsize / 8) : (bits == 5 ? 5 : 3);
}
template <typename T, typename U, int values_per_thread, int bits>
inline U load_vector(const device T* x, thread U* x_thread) {
  static_assert(bits == 2 || bits == 3 || bits == 4 || bits == 5 || bits == 6 || bits == 8, "Template undefined for bits not in {2, 3, 4, 5, 6, 8}");
  U sum = 0;
  if (bits == 2) {
    for (int i = 0; i < values_per_thread; i += 4) {
      sum += x[i] + x[i + 1] + x[i + 2] + x[i + 3];
      x_thread[i] = x[i];
      x_thread[i + 1] = x[i + 1] / 4.0f;
      x_thread[i + 2] = x[i + 2] / 16.0f;
      x_thread[i + 3] = x[i + 3] / 64.0f;
    }
  } else if (bits == 4) {
    for (int i = 0; i < values_per_thread; i += 4) {
      sum += x[i] + x[i + 1] + x[i + 2] + x[i + 3];
      x_thread[i] = x[i];
      x_thread[i + 1] = x[i + 1] / 16.0f;
      x_thread[i + 2] = x[i + 2] / 256.0f;
      x_thread[i + 3] = x[i + 3] / 4096.0f;
    }
  } else {
    for (int i = 0; i < values_per_thread; i++) {
      sum += x[i];
      x_thread[i] = x[i];
    }
  }
  return sum;
}
template <typename U, int values_per_thread, int bits>
inline U qdot(const device uint8_t* w, const thread U* x_thread, U scale, U bias, U sum) {
  U accum = 0;
  if (bits == 4) {
    const device uint16_t* ws = (const device uint16_t*)w;
    for (int i = 0; i < (values_per_thread / 4); i++) {
      accum += (x_thread[4 * i] * (ws[i] & 0x000f) + x_thread[4 * i + 1] * (ws[i] & 0x00f0) + x_thread[4 * i + 2] * (ws[i] & 0x0f00) + x_thread[4 * i + 3] * (ws[i] & 0xf000));
    }
  } else if (bits == 6) {
    for (int i = 0; i < (values_per_thread / 4); i++) {
      x_thread += 4 * i;
      w += 3 * i;
      accum += (w[0] & 0x3f) * x_thread[0];
      accum += (w[0] & 0xc0) * (x_thread[1] / 64.0f);
    }
  } else if (bits == 8) {
    for (int i = 0; i < values_per_thread; i++) accum += x_thread[i] * w[i];
  }
  return scale * accum + sum * bias;
}
template <typename U, int N, int bits>
inline void dequantize(const device uint8_t* w, U scale, U bias, threadgroup U* w_local) {
  if (bits == 4) {
    U s[2] = {scale, scale / static_cast<U>(16.0f)};
    for (int i = 0; i < (N / 2); i++) {
      w_local[2 * i] = s[0] * (w[i] & 0x0f) + bias;
      w_local[2 * i + 1] = s[1] * (w[i] & 0xf0) + bias;
    }
  } else {
    for (int i = 0; i < N; i++) w_local[i] = scale * w[i] + bias;
  }
}
template <typename T, short BROWS, short BCOLS, short dst_ld, short reduction_dim, short tgp_size, short group_size, short bits>
struct QuantizedBlockLoader {
  static_assert(BCOLS <= group_size, "The group size should be larger than the columns");
  static_assert(group_size % BCOLS == 0, "The group size should be divisible by the columns");
  MLIKE_CONST short pack_factor = get_pack_factor<bits, 8>();
  MLIKE_CONST short bytes_per_pack = get_bytes_per_pack<bits>();
  MLIKE_CONST short BCOLS_PACKED = BCOLS / pack_factor;
  MLIKE_CONST short n_reads = (BCOLS_PACKED * BROWS < tgp_size) ? 1 : (BCOLS_PACKED * BROWS) / tgp_size;
  MLIKE_CONST short group_steps = group_size / BCOLS;
  const int src_ld;
  const int tile_stride;
  short group_step_cnt;
  const int group_stride;
  const short thread_idx;
  const short bi;
  const short bj;
  threadgroup T* dst;
  const device uint8_t* src;
  const device T* scales;
  const device T* biases;
  QuantizedBlockLoader(const device uint8_t* src_, const device T* scales_, const device T* biases_, const int src_ld_, threadgroup T* dst_, ushort simd_group_id [[simdgroup_index_in_threadgroup]], ushort simd_lane_id [[thread_index_in_simdgroup]])
      : src_ld(src_ld_), tile_stride(reduction_dim ? BCOLS_PACKED * bytes_per_pack : BROWS * src_ld * bytes_per_pack / pack_factor), group_step_cnt(0), group_stride(BROWS * src_ld / group_size), thread_idx(simd_group_id * 32 + simd_lane_id), bi(n_reads * thread_idx / BCOLS_PACKED), bj((n_reads * thread_idx) % BCOLS_PACKED), dst(dst_ + bi * dst_ld + bj * pack_factor), src(src_ + bi * src_ld * bytes_per_pack / pack_factor + bj * bytes_per_pack), scales(scales_ + bi * src_ld / group_size), biases(biases_ + bi * src_ld / group_size) {}
  void load_unsafe() const {
    if (BCOLS_PACKED * BROWS < tgp_size && bi >= BROWS) return;
    T scale = *scales;
    T bias = *biases;
    for (int i = 0; i < n_reads; i++) dequantize<T, pack_factor, bits>(src + i * bytes_per_pack, scale, bias, dst + i * pack_factor);
  }
  void next() {
    src += tile_stride;
    if (reduction_dim == 1) {
      if (group_steps > 1) {
        group_step_cnt++;
        if (group_step_cnt == group_steps) {
          group_step_cnt = 0;
          scales++;
          biases++;
        }
      } else {
        scales++;
        biases++;
      }
    } else {
      scales += group_stride;
      biases += group_stride;
    }
  }
};
template <typename T, int group_size, int bits>
METAL_FUNC void qmv_fast_impl(const device uint32_t* w, const device T* scales, const device T* biases, const device T* x, device T* y, const constant int& in_vec_size, const constant int& out_vec_size, uint3 tid [[threadgroup_position_in_grid]], uint simd_gid [[simdgroup_index_in_threadgroup]], uint simd_lid [[thread_index_in_simdgroup]]) {
  constexpr int packs_per_thread = bits == 2 ? 1 : 2;
  constexpr int num_simdgroups = 2;
  constexpr int results_per_simdgroup = 4;
  constexpr int pack_factor = get_pack_factor<bits, 32>();
  constexpr int bytes_per_pack = get_bytes_per_pack<bits, 32>();
  constexpr int values_per_thread = pack_factor * packs_per_thread;
  constexpr int block_size = values_per_thread * SIMD_SIZE;
  constexpr int scale_step_per_thread = group_size / values_per_thread;
  const device uint8_t* ws = (const device uint8_t*)w;
  typedef float U;
  thread U x_thread[values_per_thread];
  thread U result[results_per_simdgroup] = {0};
  const int in_vec_size_w = in_vec_size * bytes_per_pack / pack_factor;
  const int in_vec_size_g = in_vec_size / group_size;
  const int out_row = tid.y * (num_simdgroups * results_per_simdgroup) + simd_gid * results_per_simdgroup;
  ws += out_row * in_vec_size_w + simd_lid * packs_per_thread * bytes_per_pack;
  scales += out_row * in_vec_size_g + simd_lid / scale_step_per_thread;
  biases += out_row * in_vec_size_g + simd_lid / scale_step_per_thread;
  x += tid.x * in_vec_size + simd_lid * values_per_thread;
  y += tid.x * out_vec_size + out_row;
  for (int k = 0; k < in_vec_size; k += block_size) {
    U sum = load_vector<T, U, values_per_thread, bits>(x, x_thread);
    for (int row = 0; row < results_per_simdgroup; row++) {
      auto wl = (const device uint8_t*)(ws + row * in_vec_size_w);
      const device T* sl = scales + row * in_vec_size_g;
      const device T* bl = biases + row * in_vec_size_g;
      U s = sl[0];
      U b = bl[0];
      result[row] += qdot<U, values_per_thread, bits>(wl, x_thread, s, b, sum);
    }
    ws += block_size * bytes_per_pack / pack_factor;
    scales += block_size / group_size;
    biases += block_size / group_size;
    x += block_size;
  }
  for (int row = 0; row < results_per_simdgroup; row++) {
    result[row] = simd_sum(result[row]);
    if (simd_lid == 0) y[row] = static_cast<T>(result[row]);
  }
}
template <typename T, int group_size, int bits, bool batched>
[[kernel]] void affine_qmv_fast(const device uint32_t* w [[buffer(0)]], const device T* scales [[buffer(1)]], const device T* biases [[buffer(2)]], const device T* x [[buffer(3)]], device T* y [[buffer(4)]], const constant int& in_vec_size [[buffer(5)]], const constant int& out_vec_size [[buffer(6)]], const constant int& x_batch_ndims [[buffer(7)]], const constant int* x_shape [[buffer(8)]], const constant int64_t* x_strides [[buffer(9)]], uint3 tid [[threadgroup_position_in_grid]], uint simd_gid [[simdgroup_index_in_threadgroup]], uint simd_lid [[thread_index_in_simdgroup]]) {
  if (batched) x += tid.z * x_strides[0] * x_shape[0] * x_batch_ndims;
  qmv_fast_impl<T, group_size, bits>(w, scales, biases, x, y, in_vec_size, out_vec_size, tid, simd_gid, simd_lid);
}
template <typename T, const int group_size, const int bits, const bool aligned_N, const int BM = 32, const int BK = 32, const int BN = 32>
[[kernel]] void affine_qmm_t(const device uint32_t* w, const device T* scales, const device T* biases, device T* y, constant int& K, uint3 tid [[threadgroup_position_in_grid]], uint lid [[thread_index_in_threadgroup]], uint simd_gid [[simdgroup_index_in_threadgroup]], uint simd_lid [[thread_index_in_simdgroup]]) {
  (void)lid;
  constexpr int BK_padded = (BK + 16 / sizeof(T));
  threadgroup T Ws[BN * BK_padded];
  using loader_w_t = QuantizedBlockLoader<T, BN, BK, BK_padded, 1, 2 * 2 * SIMD_SIZE, group_size, bits>;
  loader_w_t loader_w((const device uint8_t*)w, scales, biases, K, Ws, simd_gid, simd_lid);
  if (align_M || aligned_N) loader_w.load_unsafe();
  threadgroup_barrier(mem_flags::mem_threadgroup);
  loader_w.next();
  y[tid.x] = Ws[simd_lid];
}
#define instantiate_quantized(name, type, group_size, bits) template [[host_name(#name "_" #type "_gs_" #group_size "_b_" #bits)]] [[kernel]] decltype(name<type, group_size, bits, true>) name<type, group_size, bits, true>;
#define instantiate_quantized_types(name, group_size, bits) instantiate_quantized(name, half, group_size, bits) instantiate_quantized(name, bfloat, group_size, bits)
#define instantiate_quantized_all(name) instantiate_quantized_types(name, 64, 4) instantiate_quantized_types(name, 64, 8) instantiate_quantized(name, float, 64, 6)
instantiate_quantized_all(affine_qmv_fast)
instantiate_quantized_all(affine_qmm_t) // clang-format on
template <typename T, int bits>
[[kernel]] void affine_pack(const device T* w [[buffer(0)]], device uint8_t* out [[buffer(1)]], device T* scales [[buffer(2)]], uint2 index [[thread_position_in_grid]], uint2 grid_dim [[threads_per_grid]]) {
  constexpr float eps = 1e-7;
  constexpr float n_bins = (1 << bits) - 1;
  constexpr int pack_factor = get_pack_factor<bits, 8>();
  size_t offset = index.x + grid_dim.x * size_t(index.y);
  float w_min = numeric_limits<float>::max();
  float w_max = -1e9;
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; i++) {
    float val = w[offset * 4 + i];
    w_min = min(w_min, val);
    w_max = max(w_max, val);
  }
  w_min = simd_min(w_min);
  w_max = simd_max(w_max);
  float scale = max((w_max - w_min) / n_bins, eps);
  bool side = abs(w_min) > abs(w_max);
  scale = side ? scale : -scale;
  float edge = side ? w_min : w_max;
  float q0 = round(edge / scale);
  uint8_t output = 0;
  for (int i = 0; i < pack_factor; i++) {
    uint8_t val = min(round((float(w[offset]) - edge) / scale), n_bins);
    if (bits == 8) output = val;
    else output |= val << (bits * (i % pack_factor));
  }
  scales[offset] = static_cast<T>(q0 == 0 ? scale : edge / q0);
  out[offset] = output;
}
template [[host_name("affine_pack_half_4")]] [[kernel]] decltype(affine_pack<half, 4>) affine_pack<half, 4>;
