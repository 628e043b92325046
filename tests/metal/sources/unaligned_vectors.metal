// Vectors at addresses that suit their elements and not the vectors.
#include <metal_stdlib>
using namespace metal;

kernel void unaligned(device uint* words [[buffer(0)]], device half* halves [[buffer(1)]],
                      uint lane [[thread_index_in_threadgroup]]) {
  threadgroup uint shared[33];
  threadgroup uint* tile = shared + 1;
  device const uint4* four = (device const uint4*)(words + 1 + 4 * lane);
  *(threadgroup uint4*)(tile + 4 * lane) = *four + *four;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint other = 7 - lane;
  *(device uint4*)(words + 1 + 4 * lane) = *(threadgroup const uint4*)(tile + 4 * other) ^ *four;
  device half4* row = (device half4*)(halves + 1 + 4 * lane);
  device const half2* pair = (device const half2*)(halves + 35);
  *row = *row * half4(2.0h) + (*pair).xyxy;
}
