// Conformance: functions as template arguments, functors and float4 over the lanes of a simdgroup.
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

namespace {

#define TURNS_OF_FOUR(head) _Pragma("GCC unroll 4") for (head)

struct hue_block {
  half scale;
  uchar hues[8];
};
template <class T>
void read_hue(const hue_block* block, short k, T& out) {
  out = T(block->scale * half(block->hues[k]));
}

// out = hues * weights: 8 rows of hues, 8 columns of weights.
template <class T, class Block, void (*read)(const Block*, short, T&)>
void product_of_blocks(const Block* blocks, const float* weights, float* out, T* staged) {
  const uint lane = assay_lane->index_in_simdgroup;
  TURNS_OF_FOUR(uint k = lane; k < 64; k += 32) { read(blocks + k / 8, short(k % 8), staged[k]); }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_matrix<T, 8, 8> hues;
  simdgroup_float8x8 columns, sum = make_filled_simdgroup_matrix<float, 8>(0.f);
  simdgroup_load(hues, staged);
  simdgroup_load(columns, weights);
  simdgroup_multiply_accumulate(sum, hues, columns, sum);
  simdgroup_store(sum, out);
}

template <class T>
struct Lowest {
  static constexpr T value = -metal::numeric_limits<T>::infinity();
};
template <class T>
struct Largest {
  static constexpr T start = Lowest<T>::value;
  T operator()(T a, T b) const { return a > b ? a : b; }
  T simd_all_lanes(T x) const { return simd_max(x); }
};

}  // namespace

extern "C" {

void conformance_product_of_blocks(const void* blocks, const float* weights, float* out, void* staged) {
  typedef decltype(product_of_blocks<half, hue_block, read_hue>) product;
  product* chosen = product_of_blocks<half, hue_block, read_hue>;
  chosen((const hue_block*)blocks, weights, out, (half*)staged);
}

void conformance_largest_into_an_atomic(const float* in, void* memory) {
  auto* result = static_cast<metal::atomic<float>*>(memory);
  const Largest<float> larger;
  const float x = larger.simd_all_lanes(in[assay_lane->index_in_simdgroup]);
  if (!simd_is_first()) return;
  float seen = metal::atomic_load_explicit(result, metal::memory_order_relaxed);
  CHECK(seen == Largest<float>::start);
  while (!atomic_compare_exchange_weak_explicit(result, &seen, larger(seen, x), memory_order_relaxed,
                                                metal::memory_order_relaxed)) {
  }
}

// Each of 4 * `quads` numbers as a share of them all, by exp; the lanes stride over the memory.
void conformance_shares_by_float4(char* memory, int quads) {
  float4* values = (float4*)memory;
  const int lane = int(assay_lane->index_in_simdgroup);
  float4 most = -INFINITY;
  for (int k = lane; k < quads; k += 32) most = fmax(most, values[k]);
  const float best = simd_max(max(max(most[0], most[1]), max(most[2], most[3])));
  float4 sum = 0.0f;
  for (int k = lane; k < quads; k += 32) {
    values[k] = exp(values[k] - best);
    sum += values[k];
  }
  const float total = simd_sum(sum[0] + sum[1] + sum[2] + sum[3]);
  for (int k = lane; k < quads; k += 32) values[k] *= 1.0f / total;
}

// How near 8 points in 8 dimensions are to each other: exp(-distance^2 / largest), from x y^T.
void conformance_nearness(const half* points, const float* same, float* products, float* out) {
  const uint lane = assay_lane->index_in_simdgroup, row = lane / 4, column = lane % 4 * 2;
  simdgroup_half8x8 x;
  simdgroup_float8x8 turned, product;
  simdgroup_load(x, points);
  simdgroup_load(turned, same, 8, 0, true);
  simdgroup_multiply(product, x, turned);
  simdgroup_store(product, products, 8, 0, false);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  float far[2], most = -FLT_MAX / 2;
  for (uint k = 0; k < 2; ++k) {
    const uint c = column + k;
    far[k] = products[row * 9] + products[c * 9] - 2 * products[row * 8 + c];
  }
  most = simd_max(max(most, max(far[0], far[1])));
  const float4 scaled = float4(far[0], far[1], 0, most) / most;
  CHECK(scaled.z == 0 && scaled.w == 1);
  for (uint k = 0; k < 2; ++k) out[row * 8 + column + k] = exp(-scaled[k]);
}

}  // extern "C"
