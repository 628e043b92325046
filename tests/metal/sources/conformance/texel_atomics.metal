// Votes, counted in texels.
#include <metal_stdlib>
using namespace metal;

kernel void tally(texture2d<uint, access::read_write> votes [[texture(0)]],
                  texture1d<int, access::read_write> least [[texture(1)]], device uint *order [[buffer(0)]],
                  uint i [[thread_position_in_grid]]) {
  order[i] = votes.atomic_fetch_add(uint2(i % 2, 0), uint4(1, 0, 0, 0)).x;
  votes.atomic_fetch_add(uint2(7, 7), uint4(1));
  least.atomic_fetch_min(0, int4(-int(i)));
  uint4 none = 0;
  while (!votes.atomic_compare_exchange_weak(uint2(2, 0), &none, none + 2)) {}
  if (i == 31) votes.atomic_store(uint4(votes.atomic_load(uint2(3, 0)).x + 5), uint2(3, 0));
}

// Each operation at a texel of its own, which `AT` makes of its number.
#define OF_EVERY_OPERATION(image, to)                          \
  to[0] = image.atomic_exchange(AT(0), 12).x;                  \
  to[1] = image.atomic_fetch_add(AT(1), 12).x;                 \
  to[2] = image.atomic_fetch_sub(AT(2), 12).x;                 \
  to[3] = image.atomic_fetch_and(AT(3), 12).x;                 \
  to[4] = image.atomic_fetch_or(AT(4), 12).x;                  \
  to[5] = image.atomic_fetch_xor(AT(5), 12).x;                 \
  to[6] = image.atomic_fetch_min(AT(6), 12).x;                 \
  to[7] = image.atomic_fetch_max(AT(7), 12).x;                 \
  to[8] = image.atomic_load(AT(8)).x;                          \
  image.atomic_store(12, AT(9));                               \
  {                                                            \
    auto expected = image.atomic_load(AT(10));                 \
    while (!image.atomic_compare_exchange_weak(AT(10), &expected, 12)) { \
    }                                                          \
    expected = image.atomic_load(AT(11)) + 1;                  \
    to[11] = image.atomic_compare_exchange_weak(AT(11), &expected, 12) ? -1 : int(expected.x); \
  }

kernel void every(texture1d<int, access::read_write> line [[texture(0)]],
                  texture1d_array<uint, access::read_write> lines [[texture(1)]],
                  texture_buffer<int, access::read_write> strip [[texture(2)]],
                  texture2d<uint, access::read_write> plane [[texture(3)]],
                  texture2d_array<int, access::read_write> planes [[texture(4)]],
                  texture3d<int, access::read_write> block [[texture(5)]],
                  device int *before [[buffer(0)]]) {
#define AT(k) k
  OF_EVERY_OPERATION(line, before)
  OF_EVERY_OPERATION(strip, (before + 24))
#undef AT
#define AT(k) k % 4, k / 4
  OF_EVERY_OPERATION(lines, (before + 12))
#undef AT
#define AT(k) ushort2(k % 3, k / 3)
  OF_EVERY_OPERATION(plane, (before + 36))
#undef AT
#define AT(k) uint2(k % 2, k / 2 % 2), k / 4
  OF_EVERY_OPERATION(planes, (before + 48))
#undef AT
#define AT(k) uint3(k / 6, k / 2 % 3, k % 2)
  OF_EVERY_OPERATION(block, (before + 60))
}
