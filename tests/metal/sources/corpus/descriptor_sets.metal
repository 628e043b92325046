// As translators of shader languages write sets of descriptors: one struct a set, runtime arrays behind a
// header, tables of buffers, sizes that the host adds, blocks of parameters with nothing to bind them.
// refused: sampled: a `texture2d` in a struct in memory (an argument buffer) is not supported
// refused: twice: [[id(1)]] is taken by `a`
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#include <metal_stdlib>
#include <simd/simd.h>
using namespace metal;

struct Particle {
  packed_float3 position;
  float mass;
  float4 velocity;
};
struct Particles {
  uint count;
  Particle items[1];
};
struct Settings {
  float4x4 world;
  float step;
  int iterations;
};
struct Counter {
  atomic_uint value;
};

struct spvDescriptorSetBuffer0 {
  const device Particles* from [[id(0)]];
  device Particles* to [[id(1)]];
  constant Settings* settings [[id(2)]];
  constant uint* spvBufferSizeConstants [[id(20)]];
};
struct spvDescriptorSetBuffer1 {
  device Counter* counters [[id(0)]][4];
  const device float* tables[8] [[id(4)]];
  array<const device uint*, 3> indices [[id(12)]];
  float2 scale [[id(15)]];
  uint variant [[id(16)]];
};

static inline __attribute__((always_inline)) float mass_of(const device Particles& all, thread const uint& i,
                                                           constant uint& bytes) {
  const uint count = (bytes - 16u) / 32u;
  return all.items[min(i, count - 1u)].mass;
}

kernel void advance(const device spvDescriptorSetBuffer0& set0 [[buffer(0)]],
                    constant spvDescriptorSetBuffer1& set1 [[buffer(1)]],
                    uint3 gl_GlobalInvocationID [[thread_position_in_grid]]) {
  constant uint& fromBufferSize = set0.spvBufferSizeConstants[0];
  uint i = gl_GlobalInvocationID.x;
  if (i >= (*set0.from).count) return;
  float3 moved = float3((*set0.from).items[i].position);
  for (int k = 0; k < (*set0.settings).iterations; k++)
    moved = ((*set0.settings).world * float4(moved, 1.0)).xyz + (*set0.from).items[i].velocity.xyz * (*set0.settings).step;
  (*set0.to).items[i].position = moved;
  (*set0.to).items[i].mass = mass_of(*set0.from, i, fromBufferSize) * set1.scale.x;
  const uint at = set1.indices[set1.variant % 3u][i & 3u];
  (*set0.to).items[i].velocity.w = set1.tables[at & 7u][i] * set1.scale.y;
  atomic_fetch_add_explicit((device atomic_uint*)&set1.counters[at & 3u]->value, 1u, memory_order_relaxed);
}

// Blocks of parameters, as a generator flattens them.
struct Range_0 {
  uint first_0;
  uint last_0;
};
template <typename T>
struct StructuredBuffer_0 {
  T device* data_0;
  uint size_0;
};
struct Inner_0 {
  StructuredBuffer_0<float> source_0;
  Range_0 range_0;
};
struct Block_0 {
  Inner_0 constant* inner_0;
  StructuredBuffer_0<Range_0> ranges_0;
  float device* result_0;
  ulong address_0;
};
struct KernelContext_0 {
  Block_0 constant* block_0;
  uint3 thread_0;
};
static float sum_0(Range_0 range_1, KernelContext_0 thread* context_0) {
  float sum = 0.0f;
  for (uint i = range_1.first_0; i < range_1.last_0; ++i) sum += context_0->block_0->inner_0->source_0.data_0[i];
  return sum;
}
[[kernel]] void blocks(uint3 thread_0 [[thread_position_in_grid]], Block_0 constant* block_0 [[buffer(0)]]) {
  KernelContext_0 context_0 = {block_0, thread_0};
  const uint at = thread_0.x;
  if (at >= block_0->ranges_0.size_0) return;
  block_0->result_0[at] = sum_0(block_0->ranges_0.data_0[at], &context_0) + sum_0(block_0->inner_0->range_0, &context_0);
  reinterpret_cast<device float*>(block_0->address_0)[at] = 0.0f;
}

struct Picture {
  device float* values [[id(0)]];
  texture2d<float> image [[id(1)]];
};
kernel void sampled(constant Picture& set [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  set.values[i] = set.image.read(uint2(i, 0)).x;
}
struct Filters {
  array<sampler, 2> all [[id(0)]];
};
struct Filtered {
  Filters filters;
  device float* values;
};
kernel void filtered(constant Filtered& set [[buffer(0)]], uint i [[thread_position_in_grid]]) { set.values[i] = 1; }
struct Twice {
  device float* a [[id(1)]];
  device float* b [[id(1)]];
};
kernel void twice(constant Twice& set [[buffer(0)]], uint i [[thread_position_in_grid]]) { set.a[i] = set.b[i]; }
