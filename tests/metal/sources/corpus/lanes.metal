// All that lanes do with one another, of simdgroups and quads, on each type.
#include <metal_stdlib>
using namespace metal;
template <typename T>
static inline T lanes_of(T x, ushort lane) {
  T s = simd_sum(x);
  s += simd_product(x);
  s += simd_max(x) + simd_min(x);
  s += simd_prefix_inclusive_sum(x) + simd_prefix_exclusive_sum(x) + simd_prefix_inclusive_product(x) + simd_prefix_exclusive_product(x);
  s += simd_shuffle(x, lane ^ 1) + simd_shuffle_xor(x, 2) + simd_shuffle_up(x, 1) + simd_shuffle_down(x, 1);
  s += simd_shuffle_rotate_down(x, 3) + simd_shuffle_rotate_up(x, 3) + simd_broadcast(x, 0) + simd_broadcast_first(x);
  s += simd_shuffle_and_fill_down(x, T(0), 1) + simd_shuffle_and_fill_up(x, T(0), 1) + simd_shuffle_and_fill_up(x, T(0), 1, 8);
  s += quad_sum(x) + quad_product(x) + quad_max(x) + quad_min(x) + quad_broadcast(x, 1) + quad_shuffle(x, 2) + quad_shuffle_xor(x, 1);
  s += quad_shuffle_up(x, 1) + quad_shuffle_down(x, 1) + quad_prefix_exclusive_sum(x) + quad_prefix_inclusive_sum(x) + quad_shuffle_rotate_up(x, 1);
  return s;
}
template <typename T>
kernel void lanes(device const T* in [[buffer(0)]], device T* out [[buffer(1)]], uint i [[thread_position_in_grid]],
                  ushort lane [[thread_index_in_simdgroup]], ushort quad_lane [[thread_index_in_quadgroup]],
                  ushort quad [[quadgroup_index_in_threadgroup]]) {
  T x = in[i];
  out[i] = lanes_of<T>(x, lane) + T(quad_lane + quad);
}
#define L(type) template [[host_name("lanes_" #type)]] kernel void lanes<type>(device const type*, device type*, uint, ushort, ushort, ushort);
L(float) L(half) L(int) L(uint) L(short) L(ushort) L(uchar)
L(float2)
L(half4)
L(int4)

kernel void votes(device uint* out [[buffer(0)]], uint3 place [[thread_position_in_grid]],
                  uint lane [[thread_index_in_simdgroup]], uint width [[threads_per_simdgroup]],
                  uint group [[simdgroup_index_in_threadgroup]], uint groups [[simdgroups_per_threadgroup]],
                  uint3 dispatched [[dispatch_threads_per_threadgroup]], uint3 of [[threads_per_grid]],
                  ushort3 at [[threadgroup_position_in_grid]], ushort inside [[thread_index_in_threadgroup]],
                  uint old [[thread_execution_width]]) {
  const uint i = place.x;
  simd_vote v = simd_ballot(lane % 3 == 0);
  simd_vote::vote_t bits = (simd_vote::vote_t)v;
  uint64_t more = (uint64_t)simd_active_threads_mask();
  uint s = popcount(uint(bits)) + simd_any(lane > 5) + simd_all(lane < 32) + simd_and(lane) + simd_or(lane) + simd_xor(lane);
  s += simd_is_first() + v.all() + v.any() + uint(more) + quad_any(true) + quad_all(false) + quad_and(lane) + quad_or(lane) + quad_xor(lane);
  s += quad_is_first() + uint(uint64_t(quad_ballot(true)));
  if (simd_is_helper_thread()) s = 0;
  ushort2 pair = simd_shuffle_down(ushort2(lane, group), ushort(1));
  bool b = simd_shuffle(lane > 3, 2);
  out[i] = s + width + groups + dispatched.x + of.x + at.x + inside + old + pair.x + b;
}
kernel void scan(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]], constant uint& n [[buffer(2)]],
                 ushort lid [[thread_position_in_threadgroup]], ushort size [[threads_per_threadgroup]],
                 ushort sg [[simdgroup_index_in_threadgroup]], ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup uint partial[32];
  uint running = 0;
  for (uint base = 0; base < n; base += size) {
    const uint at = base + lid;
    uint x = at < n ? in[at] : 0u;
    uint inclusive = simd_prefix_inclusive_sum(x);
    if (lane == 31) partial[sg] = inclusive;
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (sg == 0) {
      uint p = lane < size / 32u ? partial[lane] : 0;
      partial[lane] = simd_prefix_exclusive_sum(p);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const uint total = partial[sg] + inclusive;
    if (at < n) out[at] = running + total - x;
    threadgroup uint carry;
    if (lid == size - 1) carry = total;
    threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    running += carry;
    threadgroup_barrier(metal::mem_flags::mem_threadgroup);
  }
}
