// out[m] = softmax(q[m] . k[s] / 8) v[s], a threadgroup of 64 threads for each row of q; at most 256 keys.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint D = 64, MOST = 256;

kernel void attention(device const half* q [[buffer(0)]], device const half* k [[buffer(1)]],
                      device const half* v [[buffer(2)]], device float* out [[buffer(3)]],
                      constant uint& S [[buffer(4)]], uint row [[threadgroup_position_in_grid]],
                      uint t [[thread_index_in_threadgroup]]) {
  threadgroup float scores[MOST];
  for (uint s = t; s < S; s += D) {
    float score = 0;
    for (uint i = 0; i < D; ++i) score += float(q[row * D + i]) * float(k[s * D + i]);
    scores[s] = score * 0.125f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float most = -INFINITY;
  for (uint s = 0; s < S; ++s) most = max(most, scores[s]);
  float total = 0, sum = 0;
  for (uint s = 0; s < S; ++s) {
    const float weight = exp(scores[s] - most);
    total += weight;
    sum += weight * float(v[s * D + t]);
  }
  out[row * D + t] = sum / total;
}
