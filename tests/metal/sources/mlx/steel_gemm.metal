// In the style of MLX (mlx/backend/metal/kernels/steel/gemm): loader, tile of fragments, epilogue as templates.
// clang-format off
#include <metal_stdlib>

#include "mlx/utils.h"
#include "mlx/steel/mma.h"
#include "mlx/steel/loader.h"
// clang-format on

using namespace metal;
using namespace mlx::steel;

namespace mlx {
namespace steel {
struct GEMMParams {
  const int M;
  const int N;
  const int K;

  const int lda;
  const int ldb;
  const int ldd;

  const int tiles_n;
  const int tiles_m;

  const int64_t batch_stride_a;
  const int64_t batch_stride_b;
  const int64_t batch_stride_d;

  const int swizzle_log;
  const int gemm_k_iterations_aligned;

  const int batch_ndim;
};

struct GEMMAddMMParams {
  const int ldc;
  const int fdc;

  const int64_t batch_stride_c;

  const float alpha;
  const float beta;
};
} // namespace steel
} // namespace mlx

///////////////////////////////////////////////////////////////////////////////
// GEMM kernels
///////////////////////////////////////////////////////////////////////////////

constant bool has_batch [[function_constant(10)]];

constant bool use_out_source [[function_constant(100)]];
constant bool do_axpby [[function_constant(110)]];

constant bool align_M [[function_constant(200)]];
constant bool align_N [[function_constant(201)]];
constant bool align_K [[function_constant(202)]];

// clang-format off
template <
    typename T,
    int BM,
    int BN,
    int BK,
    int WM,
    int WN,
    bool transpose_a,
    bool transpose_b,
    typename AccumType = float>
[[kernel, max_total_threads_per_threadgroup(WM * WN * 32)]] void gemm(
    const device T* A [[buffer(0)]],
    const device T* B [[buffer(1)]],
    const device T* C [[buffer(2), function_constant(use_out_source)]],
    device T* D [[buffer(3)]],
    const constant GEMMParams* params [[buffer(4)]],
    const constant GEMMAddMMParams* addmm_params [[buffer(5), function_constant(use_out_source)]],
    const constant int* batch_shape [[buffer(6), function_constant(has_batch)]],
    const constant int64_t* batch_strides [[buffer(7), function_constant(has_batch)]],
    uint simd_lane_id [[thread_index_in_simdgroup]],
    uint simd_group_id [[simdgroup_index_in_threadgroup]],
    uint3 tid [[threadgroup_position_in_grid]],
    uint3 lid [[thread_position_in_threadgroup]]) { // clang-format on
  // Pacifying compiler
  (void)lid;
  (void)batch_shape;
  (void)batch_strides;

  constexpr short tgp_padding_a = 16 / sizeof(T);
  constexpr short tgp_padding_b = 16 / sizeof(T);
  constexpr short lda_tgp = (transpose_a ? BM : BK) + tgp_padding_a;
  constexpr short ldb_tgp = (transpose_b ? BK : BN) + tgp_padding_b;
  constexpr short tgp_size = WM * WN * 32;

  using loader_a_t = BlockLoader<T, transpose_a ? BK : BM, transpose_a ? BM : BK, lda_tgp, !transpose_a, tgp_size>;
  using loader_b_t = BlockLoader<T, transpose_b ? BN : BK, transpose_b ? BK : BN, ldb_tgp, transpose_b, tgp_size>;
  using mma_t = BlockMMA<T, T, BM, BN, BK, WM, WN, transpose_a, transpose_b, lda_tgp, ldb_tgp, AccumType>;

  threadgroup T As[transpose_a ? BK * lda_tgp : BM * lda_tgp];
  threadgroup T Bs[transpose_b ? BN * ldb_tgp : BK * ldb_tgp];

  // Find block
  const int tid_y = ((tid.y) << params->swizzle_log) +
      ((tid.x) & ((1 << params->swizzle_log) - 1));
  const int tid_x = (tid.x) >> params->swizzle_log;

  // Exit early if out of bounds
  if (params->tiles_n <= tid_x || params->tiles_m <= tid_y) {
    return;
  }

  // Adjust for batch
  if (has_batch) {
    A += tid.z * batch_strides[0];
    B += tid.z * batch_strides[1];
  } else {
    A += params->batch_stride_a * tid.z;
    B += params->batch_stride_b * tid.z;
  }
  D += params->batch_stride_d * tid.z;

  const int c_row = tid_y * BM;
  const int c_col = tid_x * BN;
  const size_t c_row_long = size_t(c_row);
  const size_t c_col_long = size_t(c_col);

  A += transpose_a ? c_row_long : c_row_long * params->lda;
  B += transpose_b ? c_col_long * params->ldb : c_col_long;
  D += c_row_long * params->ldd + c_col_long;
  if (use_out_source) {
    C += c_row_long * addmm_params->ldc + c_col_long * addmm_params->fdc;
  }

  thread mma_t mma_op(simd_group_id, simd_lane_id);
  thread loader_a_t loader_a(A, params->lda, As, simd_group_id, simd_lane_id);
  thread loader_b_t loader_b(B, params->ldb, Bs, simd_group_id, simd_lane_id);

  const short tgp_bm = align_M ? BM : short(min(BM, params->M - c_row));
  const short tgp_bn = align_N ? BN : short(min(BN, params->N - c_col));

  int gemm_k_iterations = params->gemm_k_iterations_aligned;
  for (int k = 0; k < gemm_k_iterations; k++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (align_M && align_N) {
      loader_a.load_unsafe();
      loader_b.load_unsafe();
    } else {
      loader_a.load_safe(transpose_a ? short2(tgp_bm, BK) : short2(BK, tgp_bm));
      loader_b.load_safe(transpose_b ? short2(BK, tgp_bn) : short2(tgp_bn, BK));
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    mma_op.mma(As, Bs);
    loader_a.next();
    loader_b.next();
  }
  if (!align_K) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const int lbk = params->K - BK * gemm_k_iterations;
    short2 tile_dims_A = transpose_a ? short2(tgp_bm, lbk) : short2(lbk, tgp_bm);
    short2 tile_dims_B = transpose_b ? short2(lbk, tgp_bn) : short2(tgp_bn, lbk);
    loader_a.load_safe(tile_dims_A);
    loader_b.load_safe(tile_dims_B);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    mma_op.mma(As, Bs);
  }

  threadgroup_barrier(mem_flags::mem_none);
  mma_op.store_result_safe(D, params->ldd, short2(tgp_bn, tgp_bm));
}

// clang-format off
#define instantiate_gemm(tname, trans_a, trans_b, iname, itype, oname, otype, bm, bn, bk, wm, wn) \
  instantiate_kernel(                                                                            \
      "steel_gemm_fused_" #tname "_" #iname "_" #oname                                           \
      "_bm" #bm "_bn" #bn "_bk" #bk "_wm" #wm "_wn" #wn,                                         \
      gemm, itype, bm, bn, bk, wm, wn, trans_a, trans_b, float)

#define instantiate_gemm_transpose_helper(iname, itype, oname, otype, bm, bn, bk, wm, wn) \
    instantiate_gemm(nn, false, false, iname, itype, oname, otype, bm, bn, bk, wm, wn) \
    instantiate_gemm(nt, false, true , iname, itype, oname, otype, bm, bn, bk, wm, wn) \
    instantiate_gemm(tn, true , false, iname, itype, oname, otype, bm, bn, bk, wm, wn)

#define instantiate_gemm_shapes_helper(iname, itype, oname, otype) \
    instantiate_gemm_transpose_helper(iname, itype, oname, otype, 64, 64, 16, 2, 2) \
    instantiate_gemm_transpose_helper(iname, itype, oname, otype, 32, 32, 16, 2, 2)

instantiate_gemm_shapes_helper(float16, half, float16, half);
instantiate_gemm_shapes_helper(bfloat16, bfloat16_t, bfloat16, bfloat16_t);
instantiate_gemm_shapes_helper(float32, float, float32, float);
// clang-format on

// Sums of complex numbers in threadgroup memory: methods and operators for every address space.
[[kernel]] void complex_sum(
    device const float2* in [[buffer(0)]],
    device float2* out [[buffer(1)]],
    constant const uint& n [[buffer(2)]],
    uint lid [[thread_position_in_threadgroup]]) {
  threadgroup complex64_t partial[32];
  complex64_t mine(0);
  for (uint i = lid; i < n; i += 32) {
    mine += complex64_t(in[i].x, in[i].y) * complex64_t(1.0f);
  }
  partial[lid] = mine;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (ushort stride = 16; stride > 0; stride /= 2) {
    if (lid < stride) {
      partial[lid] += partial[lid + stride];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (lid == 0) {
    out[0] = float2(float(partial[0]), partial[0].imag);
  }
}
