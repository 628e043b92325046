// Pointers in every address space, and bytes that are read as one type and then as another.
#include <metal_stdlib>
using namespace metal;

struct alignas(16) Tile {
  uchar bytes[16];
};

// Overloads by the space of a pointer alone, which do the same.
struct Mover {
  static void copy(device const float *from, threadgroup float *to, int count, int step = 1, int gap = 1) {
    for (int k = 0; k < count; ++k) *(to + k * gap) = *(from + k * step);
  }
  static void copy(threadgroup const float *from, device float *to, int count, int step = 1, int gap = 1) {
    for (int k = 0; k < count; ++k) *(to + k * gap) = *(from + k * step);
  }
  template <typename T>
  static T total(device const T *from, int count = 4) {
    T sum = 0;
    for (int k = 0; k < count; ++k) sum += from[k];
    return sum;
  }
  template <typename T>
  static T total(threadgroup const T *from, int count = 4) {
    T sum = 0;
    for (int k = 0; k < count; ++k) sum += from[k];
    return sum;
  }
};

// A pointer whose space the template works out.
template <typename P>
METAL_FUNC float first_and_last(P from, int count) {
  return *from * 10 + *(from + count - 1);
}
METAL_FUNC device Tile &tile_at(device char *bytes, size_t index) {
  return *((device Tile *)bytes + index);
}
METAL_FUNC void add_to(thread float *sum, const thread float &x) { *sum += x; }

kernel void recast(device const char *in [[buffer(0)]], device float *out [[buffer(1)]],
                   device char *tiles [[buffer(2)]], constant float *table [[buffer(3)]],
                   threadgroup char *shared [[threadgroup(0)]], uint i [[thread_position_in_threadgroup]]) {
  threadgroup half *halves = (threadgroup half *)(shared);
  threadgroup float  *floats = (threadgroup float *)(shared + 64);
  const short lane = (short)i;
  const uint64_t far = 8;

  // First as halves and floats, then, after a barrier, all of it as words.
  halves[lane] = ((device const half *)in)[lane];
  floats[lane] = *((device const float *)(in + 64) + lane);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  thread float sum = 0;
  add_to(&sum, float(halves[31 - lane]));
  add_to(&sum, floats[lane ^ 1]);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup uint *words = (threadgroup uint *)shared;
  words[lane] = lane * 3;
  words[lane + 32] = 1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  sum += words[(lane + 1) % 32] + words[far + 32];
  out[lane] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);

  if (lane == 0) {
    device const float4 &quad = *(device const float4 *)(in + 64);
    thread float4 own(quad.w, 0, 0, quad.x);
    device float *end = out + 32;
    device float *const after = &end[4];
    *end = own.x + own.w;
    end += size_t(1) * 1;
    const int64_t back = -1;
    *(end + 0) = *((device const float *)in + 16 - back);
    end[1] = table ? first_and_last(table, 3) : 0.f;
    end[2] = first_and_last((device const float *)(in + 64), 5);
    *(&(end[3])) = after != end + 3 ? 0 : 7;
    Mover::copy((device const float *)(in + 64), floats, 4, 1, 2);
    Mover::copy(floats, end + 4, 4, 2);
    floats[1] = floats[3] = 0;
    end[8] = Mover::total(floats) + Mover::total((device const float *)(in + 64)) + first_and_last(floats, 7);
    device char *kept = (device char *)(device const char *)in;
    device const char *chosen = table[0] > 0 ? (device const char *)kept : nullptr;
    end[9] = chosen ? float(chosen != in + 1) : -1.f;
    tile_at(tiles, 1) = *(device const Tile *)(in + 16);
    tiles[0] = tile_at(tiles, 1).bytes[3];
    *(threadgroup float2x4 *)shared = *(device const float2x4 *)(in + 64);
    *(device float2x4 *)(out + 48) = *(threadgroup float2x4 *)(shared);
    *(threadgroup float4 *)(shared + 32) = *(device const float4 *)(in + 96);
    end[10] = ((threadgroup float *)shared)[9] - ((threadgroup const float2x4 &)(*shared))[1][2];
  }
}
