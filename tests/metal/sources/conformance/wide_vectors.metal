// Vectors of 8 and 16: beads on strings.
#include <metal_stdlib>
using namespace metal;

typedef half half8 __attribute__((ext_vector_type(8)));
typedef __attribute__((__ext_vector_type__(16))) float beads;
using int8v = int __attribute__((ext_vector_type(8)));
template <typename T> using eight_of = T __attribute__((ext_vector_type(8)));
template <typename T> struct Strings {
  typedef T type __attribute__((ext_vector_type(8)));
  type first;
};
struct Box {
  half tag;
  half8 content;
};

kernel void thread_beads(device const half8 *in [[buffer(0)]], device half8 *out [[buffer(1)]],
                         device float *figures [[buffer(2)]], constant Box &box [[buffer(3)]],
                         uint i [[thread_position_in_grid]]) {
  half8 x = in[i];
  const half8 ones = half8(1.0h), counted = {0, 1, 2, 3, 4, 5, 6, 7};
  half8 z = x * counted + ones - 2.0h;
  z += x;
  z[3] = 40;
  z.s7 = -z.s7;
  out[i] = -z / ones;

  beads b = 0;
  b[15] = 3;
  b.s0 = 1;
  b.s4567 = float4(4, 5, 6, 7);
  b.sE = 2;
  const float4 ends = b.lo.hi + b.hi.lo;
  typename Strings<int>::type numbers = 3;
  numbers = (numbers << 1) & 7 | int8v(8);
  eight_of<uint> positive = eight_of<uint>(4u);
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += b[k];
  const auto larger = counted > half8(3.0h);
  const float all[] = {sum,
                       ends.x * 10 + ends.w,
                       float(numbers[5]),
                       float(positive.s3 + positive.even.y),
                       float(sizeof(half8) * 100 + sizeof(beads)),
                       float(box.content[6]),
                       float(larger[3] * 10 + larger[4]),
                       float(counted.odd.w * 10 + counted.even.x),
                       float(((device const half8 *)figures) == nullptr),
                       float(alignof(half8)),
                       float(as_type<uint4>(half8(1.0h)).w == 0x3C003C00u)};
  if (i == 0) {
    for (int k = 0; k < 11; ++k) figures[k] = all[k];
  }
}
