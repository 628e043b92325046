// Products by simdgroup matrices, with a function as template argument that decodes one factor.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#define SIDE 16
constant bool guarded [[function_constant(7)]];  // the last tiles reach past the edges

struct product_sizes {
  int32_t rows, columns;
  int16_t depth;
};
struct step_block {
  int8_t steps[SIDE];
};
struct float_block {
  float4x4 steps;
};

template <typename M>
void decode_steps(device const step_block *block, thread M &reg) {
  for (int k = 0; k < SIDE; ++k) reg[k / 4][k % 4] = block->steps[k];
}
template <typename M>
void decode_floats(device const float_block *block, thread M &reg) {
  reg = (M)(block->steps);
}

// out = x * decoded: tiles of 16 by 16, eight rows of it for each of two simdgroups.
template <typename T, typename T4x4, typename Matrix, typename Block,
          void (*decode)(device const Block *, thread T4x4 &)>
kernel void coded_product(device const float *x [[buffer(0)]], device const Block *codes [[buffer(1)]],
                          device float *out [[buffer(2)]], constant product_sizes &sizes [[buffer(3)]],
                          threadgroup char *shared [[threadgroup(0)]],
                          uint3 tile [[threadgroup_position_in_grid]],
                          ushort i [[thread_index_in_threadgroup]],
                          ushort simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float *left = (threadgroup float *)shared;
  threadgroup T *right = (threadgroup T *)(shared + SIDE * SIDE * sizeof(float));
  const int row0 = tile.y * SIDE, column0 = tile.x * SIDE;
  simdgroup_float8x8 sums[2];
  Matrix factors[2];
  for (short c = 0; c < 2; ++c) sums[c] = make_filled_simdgroup_matrix<float, 8>(0.f);

  for (int k0 = 0; k0 < sizes.depth; k0 += SIDE) {
    const int row = row0 + i / 4;
    for (short k = i % 4 * 4; k < i % 4 * 4 + 4; ++k) {
      threadgroup float *block = left + 64 * (i / 32 * 2 + k / 8);
      block[i / 4 % 8 * 8 + k % 8] = row < sizes.rows ? x[row * sizes.depth + k0 + k] : 0.f;
    }
    if (i < SIDE) {
      T4x4 reg;
      const int column = column0 + i < sizes.columns ? column0 + i : 0;
      decode(codes + (column * sizes.depth + k0) / SIDE, reg);
      for (short k = 0; k < SIDE; ++k) right[64 * (k / 8 * 2 + i / 8) + k % 8 * 8 + i % 8] = reg[k / 4][k % 4];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (short k = 0; k < 2; ++k) {
      simdgroup_float8x8 rows;
      simdgroup_load(rows, left + 64 * (simd * 2 + k));
      for (short c = 0; c < 2; ++c) simdgroup_load(factors[c], right + 64 * (k * 2 + c));
      simdgroup_barrier(mem_flags::mem_none);
      for (short c = 0; c < 2; ++c) simdgroup_multiply_accumulate(sums[c], rows, factors[c], sums[c]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  if (!guarded) {
    device float *to = out + (row0 + 8 * simd) * sizes.columns + column0;
    for (short c = 0; c < 2; ++c) simdgroup_store(sums[c], to + 8 * c, sizes.columns);
    return;
  }
  threadgroup float *results = (threadgroup float *)shared;
  for (short c = 0; c < 2; ++c) simdgroup_store(sums[c], results + simd * 8 * SIDE + 8 * c, SIDE);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (short at = i; at < SIDE * SIDE; at += 64) {
    const int row = row0 + at / SIDE, column = column0 + at % SIDE;
    if (row < sizes.rows && column < sizes.columns) out[row * sizes.columns + column] = results[at];
  }
}

typedef decltype(coded_product<half, half4x4, simdgroup_half8x8, step_block, decode_steps>) of_steps;
template [[host_name("product_of_steps")]] kernel of_steps
    coded_product<half, half4x4, simdgroup_half8x8, step_block, decode_steps>;
typedef decltype(coded_product<float, float4x4, simdgroup_float8x8, float_block, decode_floats>) of_floats;
template [[host_name("product_of_floats")]] kernel of_floats
    coded_product<float, float4x4, simdgroup_float8x8, float_block, decode_floats>;

// Transposed loads, a matrix that every lane scales, a product without a sum.
kernel void transposed_product(device const half *a [[buffer(0)]], device const float *b [[buffer(1)]],
                               device float *out [[buffer(2)]], threadgroup float *middle [[threadgroup(0)]]) {
  simdgroup_half8x8 x;
  simdgroup_float8x8 y, z;
  simdgroup_load(x, a, 10, 0, true);
  simdgroup_load(y, b, 8, ulong2(0, 8), false);
  simdgroup_multiply(z, x, y);
  simdgroup_store(z, middle, 8, 0, true);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_load(y, middle);
  simdgroup_store(y, out, 8, 0, false);
}
