// Parameters spelt otherwise: arrays, references to arrays, coherent memory, indices that nobody wrote.
#include <metal_stdlib>
using namespace metal;

struct Trip {
  int days;
  float price;
};

kernel void plan(constant float (&rates)[4] [[buffer(0)]], const constant int64_t lengths[],
                 constant int *stops [[buffer(3)]], device float out[], device coherent(device) Trip *trips,
                 coherent(device) device int *counts, threadgroup float (&shared)[8] [[threadgroup(0)]],
                 constant ushort days[4] [[buffer(7)]], const uint i [[thread_position_in_grid]],
                 ushort const lane [[thread_index_in_simdgroup]]) {
  shared[i] = rates[i] * float(lengths[i]);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  volatile coherent(device) device int *count = counts;
  out[i] = shared[3 - i] + float(stops[i]) + trips[i].price * days[i] + lane;
  count[i] = trips[i].days;
}
kernel __attribute__((max_total_threads_per_threadgroup(64))) void attribute_of_clang(device int *out) { out[0] = 1; }
kernel void name_first [[host_name("behind_the_name")]] (device int *out [[ buffer( 0 ) ]]) { out[0] = 2; }
