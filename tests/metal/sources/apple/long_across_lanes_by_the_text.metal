// loads
#include <metal_stdlib>
inline int64_t simd_shuffle_up(int64_t whole, uint16_t lanes) {
  return as_type<int64_t>(metal::simd_shuffle_up(as_type<int2>(whole), lanes));
}
namespace lanes {
inline uint64_t quad_broadcast(uint64_t whole, ushort lane) {
  return as_type<uint64_t>(metal::quad_broadcast(as_type<metal::uint2>(whole), lane));
}
template <typename T>
T first_of(T value) {
  return quad_broadcast(value, 0);
}
}  // namespace lanes
using namespace metal;
kernel void shared(device long* sums, device ulong* firsts, device bfloat* narrow,
                   uint at [[thread_position_in_grid]]) {
  sums[at] = simd_shuffle_up(sums[at], 1);
  firsts[at] = lanes::first_of(firsts[at]);
  narrow[at] = simd_shuffle_xor(narrow[at], 1) + simd_sum(bfloat2(narrow[at])).x;
}
