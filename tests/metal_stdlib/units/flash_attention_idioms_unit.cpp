// Idioms of attention kernels: metal-flash-attention's fragments in registers (loads by lane, bfloat by bits,
// Morton order) and llama.cpp's online softmax over rows of 8x8 matrices with transposed loads.
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

METAL_FUNC static ushort2 morton_order(ushort thread_index_in_simdgroup) {
  ushort lane_id = thread_index_in_simdgroup;
  ushort quad_id = lane_id / 4;
  constexpr ushort QUADRANT_SPAN_M = 4;
  constexpr ushort THREADS_PER_QUADRANT = 8;
  ushort M_floor_of_quadrant = (quad_id / 4) * QUADRANT_SPAN_M;
  ushort M_in_quadrant = (lane_id / 2) % (THREADS_PER_QUADRANT / 2);
  ushort M_in_simd = M_floor_of_quadrant + M_in_quadrant;
  ushort N_floor_of_quadrant = (quad_id & 2) * 2;
  ushort N_in_quadrant = (lane_id % 2) * 2;
  ushort N_in_simd = N_floor_of_quadrant + N_in_quadrant;
  return ushort2(N_in_simd, M_in_simd);
}

template <typename T>
struct fragment {
  vec<T, 2> t;
  METAL_FUNC vec<T, 2>* thread_elements() { return &t; }
  METAL_FUNC fragment() {}
  METAL_FUNC fragment(vec<T, 2> elements) { *(this->thread_elements()) = elements; }
  METAL_FUNC static T* apply_offset(T* src, uint elements_per_row, uint2 matrix_origin,
                                    bool transpose_matrix = false) {
    if (transpose_matrix) return src + ulong(matrix_origin.x * elements_per_row) + matrix_origin.y;
    return src + ulong(matrix_origin.y * elements_per_row) + matrix_origin.x;
  }
  template <typename U>
  METAL_FUNC void load(const U* src, ushort elements_per_row, ushort2 matrix_origin,
                       bool transpose_matrix = false) {
    if (transpose_matrix) {
      ushort address0 = ushort(matrix_origin.x + 0) * elements_per_row + ushort(matrix_origin.y);
      ushort address1 = ushort(matrix_origin.x + 1) * elements_per_row + ushort(matrix_origin.y);
      *(thread_elements()) = vec<T, 2>(vec<U, 2>(src[address0], src[address1]));
    } else {
      auto combined_address = ushort(matrix_origin.y) * elements_per_row + ushort(matrix_origin.x + 0);
      vec<U, 2> memory_form = *(const vec<U, 2>*)(src + combined_address);
      *(thread_elements()) = vec<T, 2>(memory_form);
    }
  }
  METAL_FUNC void load_bfloat(const ushort* src, ushort elements_per_row, ushort2 matrix_origin) {
    uint combined_address = uint(matrix_origin.y) * elements_per_row + uint(matrix_origin.x);
    ushort2 memory_form = *(const ushort2*)(src + combined_address);
    float2 register_form;
    ((ushort2*)&register_form)[0] = ushort2(0, memory_form.x);
    ((ushort2*)&register_form)[1] = ushort2(0, memory_form.y);
    ((vec<T, 2>*)thread_elements())[0] = vec<T, 2>(register_form);
  }
};

struct attention_args {
  uint R;
  uint C;
  float scale;
};

// One simdgroup attends 8 queries to C keys and values of width 8, C a multiple of 8.
template <typename T, typename T4>
void attention(const attention_args& args, const T* Q, const T* K, const T* V, float* O, float* shared,
               ushort tiisg) {
  simdgroup_matrix<T, 8, 8> mq, mk, mv;
  simdgroup_float8x8 mo = make_filled_simdgroup_matrix<float, 8>(0.f);
  float S[8] = {0.0f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f};
  float M[8];
  for (short j = 0; j < 8; ++j) M[j] = -FLT_MAX / 2;
  simdgroup_load(mq, Q, 8);
  for (uint c = 0; c < args.C; c += 8) {
    simdgroup_float8x8 mqk = make_filled_simdgroup_matrix<float, 8>(0.f);
    simdgroup_load(mk, K + c * 8, 8, 0, true);
    simdgroup_multiply_accumulate(mqk, mq, mk, mqk);
    simdgroup_store(mqk, shared, 8, 0, false);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 diagonal;
    for (ushort j = 0; j < 8; ++j) {
      const float m = M[j];
      const float s = tiisg < 8 ? shared[j * 8 + tiisg] * args.scale : -INFINITY;
      M[j] = simd_max(max(M[j], s));
      const float ms = exp(m - M[j]);
      const float vs = exp(s - M[j]);
      S[j] = S[j] * ms + simd_sum(vs);
      if (tiisg < 8) {
        shared[64 + j * 8 + tiisg] = tiisg == j ? ms : 0.0f;
        shared[j * 8 + tiisg] = vs;
      }
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_load(diagonal, shared + 64, 8);
    simdgroup_multiply(mo, diagonal, mo);
    simdgroup_float8x8 ms;
    simdgroup_load(ms, shared);
    simdgroup_load(mv, V + c * 8, 8);
    simdgroup_multiply_accumulate(mo, ms, mv, mo);
    simdgroup_barrier(mem_flags::mem_threadgroup);
  }
  simdgroup_store(mo, shared, 8);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  if (tiisg < 8) {
    const float4* rows = (const float4*)(shared + tiisg * 8);
    for (short i = 0; i < 2; ++i) ((float4*)O)[tiisg * 2 + i] = rows[i] / S[tiisg];
  }
}

extern "C" void flash_attention(const half* Q, const half* K, const half* V, float* O, float* shared,
                                uint keys) {
  const attention_args args = {8, keys, 0.5f};
  attention<half, half4>(args, Q, K, V, O, shared, ushort(assay_lane->index_in_simdgroup));
}

extern "C" void flash_fragments() {
  half source[64];
  ushort words[64];
  for (int i = 0; i < 64; ++i) {
    source[i] = half(i);
    words[i] = as_type<ushort>(bfloat(i));
  }
  for (ushort lane = 0; lane < 32; ++lane) {
    const ushort2 offset = morton_order(lane);
    fragment<float> plain, transposed, bits;
    plain.load(source, 8, offset);
    transposed.load(source, 8, offset, true);
    bits.load_bfloat(words, 8, offset);
    const float first = offset.y * 8 + offset.x;
    CHECK(all(*plain.thread_elements() == float2(first, first + 1)));
    CHECK(all(bits.t == plain.t));
    CHECK(transposed.t[0] == offset.x * 8 + offset.y && transposed.t[1] == (offset.x + 1) * 8 + offset.y);
    CHECK(fragment<half>::apply_offset(source, 8, uint2(offset)) == source + int(first));
  }
}
