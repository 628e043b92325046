// Whole numbers of every width: quotients, remainders, shifts and loops.
#include <metal_stdlib>
using namespace metal;

struct Shifts {
  int32_t by, modulus;
  int64_t large;
};

template <int N>
static inline void fold(int a[N], int turns) {
  for (; turns > 0 && a[0] < 1000; --turns)
    for (int k = 0; k < N; ++k) a[k] += a[(k + 1) % N];
}

kernel void quotients(device const int *in [[buffer(0)]], device int *out [[buffer(1)]],
                      constant Shifts &shifts [[buffer(2)]], device int64_t *wide [[buffer(3)]],
                      uint i [[thread_position_in_grid]], ushort lane [[thread_index_in_simdgroup]]) {
  auto row = (device int *)(out + size_t(8) * i);
  const int x = in[i];
  const ushort narrow = ushort(x), third = narrow / 3;
  const short rest = narrow % 7, sign = x < 0 ? -1 : 1;
  int min = 5, max = x % 11;
  if (max < min) min = max;
  row[0] = x / 7 * 1000 + min;
  row[1] = third * sign + rest;
  row[2] = (uint)x % shifts.modulus;
  row[3] = x << shifts.by >> 1;
  wide[i] = (shifts.large + x) / 1000003 * 10 + (shifts.large - x) % 3;
  int k = 1, j = 0, n = 0;
  for (; k < 100 && n < 50; k *= 3) {
    for (j = 0; j < 4; ++j) n += k;
    n *= 2;
  }
  for (j = 0, n += 1; j < lane; ++j) n += j;
  row[4] = n + k;
  int pair[3] = {0}, sevens[2] = {7, 7};
  pair[0] = x;
  pair[2] = 1;
  fold<3>(pair, 4);
  row[5] = pair[0];
  row[6] = pair[1] + sevens[1];
  const ushort mask = 0x00F0, top = mask << 8;
  row[7] = (narrow & mask) + (narrow & top) + (uchar)x / 16;
}
