// Initialisers by index: shelves of a larder.
#include <metal_stdlib>
using namespace metal;

#define SHELVES 6
enum { kJars = 2 };
constant float weights[SHELVES] = {[0 ... 2] = 1.5f, [3 ... SHELVES - 1] = 2};
constant int by_name[4] = {[kJars] = 7, [kJars - 2] = 5};
struct Jar {
  int content;
  float level;
};

template <typename T, int N>
kernel void fill(device T *out [[buffer(0)]], constant int &n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  T plain[N] = {[0 ... N - 1] = T(0.5)};
  float some[SHELVES] = { [ 1 ... SHELVES - 2 ] = 3.f }, few[2] = {[0 ... 1] = 4};
  float rows[SHELVES][2] = {[0 ... SHELVES - 1] = {1.f, 2.f}};
  float nested[N][3] = {
    [0 ... N - 1] = {[0 ... 1] = float(n), [2] = 9},
  };
  const float4 vectors[2] = {[0 ... 1] = float4(1, 2, 3, 4)};
  const int fixed[N] = {[N - 1] = 8};
  Jar jars[N] = {[0 ... N - 1] = {n, 0.25f}};
  int holes[4] = {[3] = 9, [1] = 4};
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += float(plain[k]) + nested[k][1] + 10 * jars[k].content + jars[k].level;
  const float all[] = {sum,
                       some[0] + some[1] + some[4] + some[5],
                       few[0] * few[1],
                       rows[5][0] * 10 + rows[5][1],
                       nested[N - 1][2],
                       vectors[1].w,
                       float(fixed[N - 1] + fixed[0]),
                       float(holes[0] * 1000 + holes[1] * 100 + holes[2] * 10 + holes[3]),
                       weights[2] * 100 + weights[3] * 10 + weights[SHELVES - 1],
                       float(by_name[0] * 100 + by_name[1] * 10 + by_name[2])};
  if (i == 0) {
    for (int k = 0; k < 10; ++k) out[k] = T(all[k]);
  }
}
template [[host_name("fill_3")]] kernel void fill<float, 3>(device float *, constant int &, uint);
template [[host_name("fill_8")]] kernel void fill<float, 8>(device float *out [[buffer(0)]], constant int &n [[buffer(1)]],
                                                            uint i [[thread_position_in_grid]]);
