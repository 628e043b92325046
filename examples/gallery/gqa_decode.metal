// Attention of one new token a sequence: several heads of q share a head of k and v. A threadgroup computes a
// head, its simdgroups take 32 positions each in turn, and each keeps a running maximum, sum and output; the
// first simdgroup joins them.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint SIMDGROUPS = 4;
constant constexpr uint HEAD = 64;  // elements of a head: two a lane

struct Sizes {
  uint kv_heads, group;  // heads of k and v; heads of q that share one
  uint capacity;         // positions that there is room for
};

kernel void gqa_decode(device const half* q [[buffer(0)]],        // [batch, kv_heads * group, HEAD]
                       device const half* k [[buffer(1)]],        // [batch, capacity, kv_heads, HEAD]
                       device const half* v [[buffer(2)]],        // the same
                       device const uint* lengths [[buffer(3)]],  // [batch]
                       device half* out [[buffer(4)]],            // as q
                       constant Sizes& sizes [[buffer(5)]],
                       constant float& scale [[buffer(6)]],
                       uint2 at [[threadgroup_position_in_grid]],  // head, sequence
                       uint thread_index [[thread_index_in_threadgroup]],
                       uint simdgroup [[simdgroup_index_in_threadgroup]],
                       uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float4 query[HEAD / 4];
  threadgroup float mosts[SIMDGROUPS], totals[SIMDGROUPS];
  threadgroup float2 outputs[SIMDGROUPS][32];

  const uint length = lengths[at.y];
  const uint own = (at.y * sizes.kv_heads * sizes.group + at.x) * HEAD;  // in q and out
  const uint stride = sizes.kv_heads * HEAD;                             // from one position to the next
  const uint first = at.y * sizes.capacity * stride + at.x / sizes.group * HEAD;

  if (thread_index < HEAD / 4) query[thread_index] = float4(((device const half4*)(q + own))[thread_index]);
  threadgroup_barrier(mem_flags::mem_threadgroup);

  float most = -INFINITY, total = 0;
  float2 output = 0;
  for (uint begin = simdgroup * 32; begin < length; begin += SIMDGROUPS * 32) {
    const uint position = begin + lane;
    float score = -INFINITY;  // past the end
    if (position < length) {
      device const half4* key = (device const half4*)(k + first + position * stride);
      float product = 0;
      for (uint i = 0; i < HEAD / 4; ++i) product += dot(float4(key[i]), query[i]);
      score = product * scale;
    }
    const float larger = max(most, simd_max(score));
    const float weight = exp(score - larger);
    const float shrink = exp(most - larger);
    most = larger;
    total = total * shrink + simd_sum(weight);
    output *= shrink;
    for (uint i = 0; i < min(32u, length - begin); ++i) {
      device const half2* value = (device const half2*)(v + first + (begin + i) * stride);
      output += simd_shuffle(weight, i) * float2(value[lane]);
    }
  }

  if (lane == 0) {
    mosts[simdgroup] = most;
    totals[simdgroup] = total;
  }
  outputs[simdgroup][lane] = output;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simdgroup != 0) return;
  for (uint i = 1; i < SIMDGROUPS; ++i) most = max(most, mosts[i]);
  total = 0;
  output = 0;
  for (uint i = 0; i < SIMDGROUPS; ++i) {
    const float shrink = exp(mosts[i] - most);  // 0 of one that had no position
    total += totals[i] * shrink;
    output += outputs[i][lane] * shrink;
  }
  ((device half2*)(out + own))[lane] = half2(output / total);
}
