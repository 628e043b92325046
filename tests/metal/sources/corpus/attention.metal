// Attention: function constants that choose parameters, online softmax, simdgroup matrices over threadgroup
// memory, fragments and tiles as classes of templates.
#include <metal_stdlib>
#include <metal_simdgroup>
using namespace metal;
// function_constants: 20 = true, 21 = false, 22 = true, 300 = 128, 301 = 4
constant bool has_mask [[function_constant(20)]];
constant bool query_transposed [[function_constant(21)]];
constant bool do_causal [[function_constant(22)]];
constant int32_t FC_dim [[function_constant(300)]];
constant ushort FC_nsg [[function_constant(301)]];
#define STEEL_PRAGMA_UNROLL _Pragma("clang loop unroll(full)")
#define STEEL_CONST static constant constexpr const

template <typename T, int D, int V = D>
[[kernel]] void one_query(const device T* queries [[buffer(0)]], const device T* keys [[buffer(1)]],
                          const device T* values [[buffer(2)]], device T* out [[buffer(3)]],
                          const constant int& gqa_factor [[buffer(4)]], const constant int& N [[buffer(5)]],
                          const constant size_t& k_head_stride [[buffer(6)]],
                          const constant float& scale [[buffer(10)]],
                          const device bool* mask [[buffer(11), function_constant(has_mask)]],
                          const constant int& mask_stride [[buffer(14), function_constant(has_mask)]],
                          uint3 tid [[threadgroup_position_in_grid]], uint3 tpg [[threadgroups_per_grid]],
                          uint simd_gid [[simdgroup_index_in_threadgroup]],
                          uint simd_lid [[thread_index_in_simdgroup]]) {
  constexpr int BN = 8;
  constexpr int BD = 32;
  constexpr int qk_per_thread = D / BD;
  constexpr int v_per_thread = V / BD;
  typedef float U;
  thread U q[qk_per_thread];
  thread U k[qk_per_thread];
  thread U o[v_per_thread];
  threadgroup U outputs[BN * BD];
  threadgroup U max_scores[BN];
  threadgroup U sum_exp_scores[BN];
  const int head_idx = tid.x;
  const int kv_head_idx = head_idx / gqa_factor;
  const int o_offset = head_idx * tpg.y + tid.y;
  const int q_offset = query_transposed ? tpg.x * tid.y + head_idx : o_offset;
  queries += q_offset * D + simd_lid * qk_per_thread;
  keys += kv_head_idx * k_head_stride + simd_gid * D + simd_lid * qk_per_thread;
  values += kv_head_idx * k_head_stride + simd_gid * V + simd_lid * v_per_thread;
  if (has_mask) mask += head_idx * mask_stride + simd_gid;
  out += o_offset * V + simd_gid * v_per_thread;
  for (int i = 0; i < qk_per_thread; i++) q[i] = static_cast<U>(scale) * queries[i];
  for (int i = 0; i < v_per_thread; i++) o[i] = 0;
  U max_score = -INFINITY;
  U sum_exp_score = 0;
  for (int i = simd_gid; i < N; i += BN) {
    bool use_key = true;
    if (do_causal) {
      use_key = i <= (N - int(tpg.y) + int(tid.y));
    } else if (has_mask) {
      use_key = mask[0];
    }
    if (use_key) {
      for (int j = 0; j < qk_per_thread; j++) k[j] = keys[j];
      U score = 0;
      for (int j = 0; j < qk_per_thread; j++) score += q[j] * k[j];
      score = simd_sum(score);
      U new_max = max(max_score, score);
      U factor = fast::exp(max_score - new_max);
      U exp_score = fast::exp(score - new_max);
      max_score = new_max;
      sum_exp_score = sum_exp_score * factor + exp_score;
      for (int j = 0; j < v_per_thread; j++) o[j] = o[j] * factor + exp_score * values[j];
    }
    keys += BN * D;
    values += BN * V;
    if (has_mask) mask += BN;
  }
  if (simd_lid == 0) {
    max_scores[simd_gid] = max_score;
    sum_exp_scores[simd_gid] = sum_exp_score;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  max_score = simd_lid < BN ? max_scores[simd_lid] : -1e9f;
  U new_max = simd_max(max_score);
  U factor = fast::exp(max_score - new_max);
  sum_exp_score = simd_sum((simd_lid < BN ? sum_exp_scores[simd_lid] : 0) * factor);
  for (int i = 0; i < v_per_thread; i++) {
    outputs[simd_lid * BN + simd_gid] = o[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    o[i] = simd_sum((simd_gid * BD + simd_lid) < BN * BD ? outputs[simd_gid * BD + simd_lid] * factor : 0);
    o[i] = sum_exp_score == 0 ? o[i] : (o[i] / sum_exp_score);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (simd_lid == 0) {
    for (int i = 0; i < v_per_thread; i++) out[i] = static_cast<T>(o[i]);
  }
}
#define instantiate_one(type, d, v) \
  template [[host_name("one_query_" #type "_" #d "_" #v)]] [[kernel]] decltype(one_query<type, d, v>) one_query<type, d, v>;
#define instantiate_all(type) instantiate_one(type, 64, 64) instantiate_one(type, 96, 96)
instantiate_all(float)
instantiate_all(half)

template <int v>
using Int = integral_constant<int, v>;
template <typename T, int kFragRows_, int kFragCols_>
struct BaseFrag {
  static_assert(kFragRows_ == 8, "Only 8 x 8 fragments");
};
template <typename T>
struct BaseFrag<T, 8, 8> {
  STEEL_CONST int kFragRows = 8;
  STEEL_CONST int kFragCols = 8;
  STEEL_CONST int kElemsPerFrag = (kFragRows * kFragCols) / 32;
  typedef metal::simdgroup_matrix<T, kFragRows, kFragCols> mat_type;
  typedef metal::vec<T, kElemsPerFrag> frag_type;
  METAL_FUNC static constexpr short2 get_coord(ushort simd_lane_id [[thread_index_in_simdgroup]]) {
    const short qid = simd_lane_id / 4;
    const short fm = (qid & 4) + ((simd_lane_id / 2) % 4);
    const short fn = (qid & 2) * 2 + (simd_lane_id % 2) * 2;
    return short2{fn, fm};
  }
  template <typename SrcPtrType, typename StrX, typename StrY>
  METAL_FUNC static constexpr void load(thread frag_type& dst, SrcPtrType src, StrX str_x, StrY str_y) {
    STEEL_PRAGMA_UNROLL
    for (short i = 0; i < 1; i++) {
      STEEL_PRAGMA_UNROLL
      for (short j = 0; j < 2; j++) dst[i * 2 + j] = static_cast<T>(src[i * str_x + j * str_y]);
    }
  }
  template <typename Atype, typename Btype, typename Ctype>
  METAL_FUNC static constexpr void mma(thread frag_type& D, thread metal::vec<Atype, kElemsPerFrag>& A,
                                       thread metal::vec<Btype, kElemsPerFrag>& B, thread metal::vec<Ctype, kElemsPerFrag>& C) {
    mat_type D_mat;
    metal::simdgroup_matrix<Atype, kFragRows, kFragCols> A_mat;
    metal::simdgroup_matrix<Btype, kFragRows, kFragCols> B_mat;
    metal::simdgroup_matrix<Ctype, kFragRows, kFragCols> C_mat;
    reinterpret_cast<thread metal::vec<Atype, kElemsPerFrag>&>(A_mat.thread_elements()) = A;
    reinterpret_cast<thread metal::vec<Btype, kElemsPerFrag>&>(B_mat.thread_elements()) = B;
    reinterpret_cast<thread metal::vec<Ctype, kElemsPerFrag>&>(C_mat.thread_elements()) = C;
    simdgroup_multiply_accumulate(D_mat, A_mat, B_mat, C_mat);
    D = reinterpret_cast<thread frag_type&>(D_mat.thread_elements());
  }
  template <typename Op>
  METAL_FUNC static constexpr void row_reduce(thread const frag_type& inp_vals, thread T* reduced_vals) {
    T thr_reduce = Op::apply(inp_vals.x, inp_vals.y);
    T qgr_reduce = simd_shuffle_xor(thr_reduce, ushort(1));
    qgr_reduce = Op::apply(thr_reduce, qgr_reduce);
    T sgr_reduce = simd_shuffle_xor(qgr_reduce, ushort(8));
    reduced_vals[0] = Op::apply(reduced_vals[0], Op::apply(qgr_reduce, sgr_reduce));
  }
};
struct MaxOp {
  template <typename T>
  METAL_FUNC static constexpr T apply(T x, T y) {
    return metal::max(x, y);
  }
};
template <typename T, int kRows, int kCols, class Frag_ = BaseFrag<T, 8, 8>>
struct Tile {
  using Frag = Frag_;
  using frag_type = typename Frag::frag_type;
  using elem_type = T;
  STEEL_CONST int kNumFrags = kRows * kCols;
  frag_type val_frags[kNumFrags];
  METAL_FUNC Tile() thread {}
  METAL_FUNC constexpr void clear() {
    STEEL_PRAGMA_UNROLL
    for (short i = 0; i < kNumFrags; ++i) val_frags[i] = frag_type(0);
  }
  METAL_FUNC constexpr thread frag_type& at(const short i, const short j) { return val_frags[i * kCols + j]; }
  METAL_FUNC constexpr const thread frag_type& at(const short i, const short j) const { return val_frags[i * kCols + j]; }
  METAL_FUNC thread elem_type* elems() { return reinterpret_cast<thread elem_type*>(val_frags); }
  template <typename Op>
  METAL_FUNC void row_reduce(thread metal::vec<T, kRows>& vals) const {
    auto vptr = (thread T*)(&vals);
    STEEL_PRAGMA_UNROLL
    for (short i = 0; i < kRows; ++i) {
      STEEL_PRAGMA_UNROLL
      for (short j = 0; j < kCols; ++j) Frag::template row_reduce<Op>(at(i, j), &vptr[i]);
    }
  }
  template <typename U, int w_x, int w_y, int str_x, int str_y>
  METAL_FUNC void load(const threadgroup U* src) {
    STEEL_PRAGMA_UNROLL
    for (short i = 0; i < kRows; ++i) {
      STEEL_PRAGMA_UNROLL
      for (short j = 0; j < kCols; ++j)
        Frag::load(at(i, j), &(src[(i * 8) * w_x * str_x + (j * 8) * w_y * str_y]), Int<str_x>{}, Int<str_y>{});
    }
  }
};
kernel void tiles_of_fragments(const device half* q [[buffer(0)]], device float* out [[buffer(1)]],
                               threadgroup half* shared [[threadgroup(0)]], ushort lane [[thread_index_in_simdgroup]],
                               uint lid [[thread_index_in_threadgroup]]) {
  for (ushort i = lane; i < 16 * 16; i += 32) shared[i] = q[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  Tile<float, 2, 2> a;
  a.clear();
  const short2 at = BaseFrag<float, 8, 8>::get_coord(lane);
  a.template load<half, 1, 1, 16, 1>(shared + at.y * 16 + at.x);
  metal::vec<float, 2> largest(-INFINITY);
  a.row_reduce<MaxOp>(largest);
  Tile<float, 2, 2>::Frag::mma(a.at(0, 0), a.at(0, 0), a.at(0, 1), a.at(1, 0));
  out[lid] = largest[0] + largest.y + a.elems()[1] + float(FC_dim) + FC_nsg;
}

template <typename q_t, typename q4_t, typename q8x8_t, typename o_t, short DK, short C = 32>
kernel void flash_block(device const char* q, device const char* k, device char* dst,
                        threadgroup half* shmem_f16 [[threadgroup(0)]], uint3 tgpig[[threadgroup_position_in_grid]],
                        ushort tiisg[[thread_index_in_simdgroup]], ushort sgitg[[simdgroup_index_in_threadgroup]]) {
  threadgroup q_t* sq = (threadgroup q_t*)(shmem_f16 + 0 * DK);
  threadgroup q4_t* sq4 = (threadgroup q4_t*)(shmem_f16 + 0 * DK);
  threadgroup o_t* so = (threadgroup o_t*)(shmem_f16 + 8 * DK);
  device const float4* q4 = (device const float4*)((device const char*)q + tgpig[0]);
  for (short i = tiisg; i < 8 * DK / 4; i += 32) sq4[i] = (q4_t)q4[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float S[8] = {[0 ... 7] = 0.0f};
  float M[8] = {[0 ... 7] = -__FLT_MAX__ / 2};
  q8x8_t mq[DK / 8];
#pragma unroll(DK / 8)
  for (short i = 0; i < DK / 8; ++i) simdgroup_load(mq[i], sq + i * 8, DK);
  simdgroup_float8x8 mqk = make_filled_simdgroup_matrix<float, 8>(0.f);
  device const half* pk = (device const half*)k + sgitg * DK;
  for (short i = 0; i < DK / 8; ++i) {
    simdgroup_half8x8 mk;
    simdgroup_load(mk, pk + i * 8, DK, 0, true);
    simdgroup_multiply_accumulate(mqk, mq[i], mk, mqk);
  }
  simdgroup_store(mqk, so, C, 0, false);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  const float s = so[tiisg];
  const float m = M[0];
  M[0] = simd_max(max(M[0], s));
  const float ms = exp(m - M[0]);
  S[0] = S[0] * ms + simd_sum(exp(s - M[0]));
  ((device float4*)dst)[tiisg] = float4(S[0], ms, s, m);
}
typedef decltype(flash_block<half, half4, simdgroup_half8x8, float, 64>) flash_t;
template [[host_name("flash_half_64")]] kernel flash_t flash_block<half, half4, simdgroup_half8x8, float, 64>;
