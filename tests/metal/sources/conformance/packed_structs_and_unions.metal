// Records that fill their bytes: samples of 12 bits, four in three 16-bit words, with a gain for each eight.
#include <metal_stdlib>
#include "calendar_arguments.h"
using namespace metal;

#define PARCELS 20
constant short sharers [[function_constant(PARCELS + 1)]];  // simdgroups that share a row
constant bool offset [[function_constant(PARCELS + 3)]];    // of nobody here; function_constants.metal has one

typedef struct {
  half gain;
  uint8_t samples[12];
} sound_block;
static_assert(sizeof(sound_block) == sizeof(half) + 12, "blocks follow each other without padding");

typedef struct {
  union {
    struct {
      half left;
      half right;
    };
    half2 both;
  };
  int8_t drift[3];
  uint8_t flags;
} balance_block;
static_assert(sizeof(balance_block) == 8, "two halves and four bytes");

namespace mixing {
namespace desk {
struct launch {
  const int block_count;
  const int64_t row_bytes;
  const int16_t rows;
};
}  // namespace desk
}  // namespace mixing

// Weights that make good where in its word a sample lies.
template <int N>
METAL_FUNC float spread_weights(device const float *x, thread float weights[N]) {
  float sum = 0.f;
  for (int k = 0; k < N; k += 4) {
    sum += x[k];
    weights[k] = x[k];
    weights[k + 1] = x[k + 1];
    weights[k + 2] = x[k + 2] / 256.f;
    weights[k + 3] = x[k + 3] / 16.f;
  }
  return sum;
}

METAL_FUNC float mix(device const sound_block *block, thread const float *weights) {
  device const ushort *words = (device const ushort *)block->samples;
  float sum = 0;
  for (short k = 0; k < 8; k += 4, words += 3) {
    const ushort low = words[1] & 0x00FF, high = words[1] & 0xFF00;
    sum += weights[k] * (words[0] & 0x0FFF);
    sum += weights[k + 1] / 4096.f * (words[0] & 0xF000) + weights[k + 1] * 16.f * low;
    sum += weights[k + 2] * high + weights[k + 2] * 65536.f * (words[2] & 0x000F);
    sum += weights[k + 3] * (words[2] & 0xFFF0);
  }
  return block->gain * sum;
}

template <typename Block, int Rows, typename Launch>
void mix_rows(Launch launch, device const char *bytes, device const float *x, device float *out,
              threadgroup float *partial, uint group, ushort lane, ushort simd) {
  const short of_row = simd % sharers, first = (group * 2 + simd / sharers) * Rows;
  device const Block * rows[Rows];
  threadgroup float * slots[Rows];
  for (int r = 0; r < Rows; ++r) {
    const int row = first + r < launch.rows ? first + r : 0;
    rows[r] = (device const Block *)(bytes + row * launch.row_bytes);
    slots[r] = partial + (simd * Rows + r);
  }
  float weights[8], sums[Rows] = {0.f};
  for (int b = of_row * 32 + lane; b < launch.block_count; b += 32 * sharers) {
    const float total = spread_weights<8>(x + 8 * b, weights);
    for (int r = 0; r < Rows; ++r) sums[r] += mix(rows[r] + b, weights) - total;
  }
  for (int r = 0; r < Rows; ++r) {
    const float sum = simd_sum(sums[r]);
    if (lane == 0) *slots[r] = sum;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (of_row != 0 || lane >= Rows || first + lane >= launch.rows) return;
  float sum = 0;
  for (short s = 0; s < sharers; ++s) sum += partial[(simd + s) * Rows + lane];
  out[first + lane] = sum;
}

kernel void mix_sounds(const constant mixing::desk::launch *launch, device const char *blocks,
                       device const float *x, device float *out,
                       threadgroup float *partial [[threadgroup(0)]],
                       uint group [[threadgroup_position_in_grid]],
                       ushort lane [[thread_index_in_simdgroup]],
                       ushort simd [[simdgroup_index_in_threadgroup]]) {
  mix_rows<sound_block, 3, constant mixing::desk::launch &>(*launch, blocks, x, out, partial, group, lane, simd);
}

kernel void balance(device const balance_block *in, device balance_block *out, constant calendar_arguments &turn,
                    uint i [[thread_position_in_grid]]) {
  balance_block block = {};
  device const balance_block &from = in[i];
  block.both = half2(from.right, from.left) * half(2);
  block.left += from.drift[0] + from.drift[1];
  block.flags = (from.flags >> 4) | (from.flags << 4);
  block.flags |= uint8_t(turn.weeks) << 7;
  for (int k = 0; k < 3; ++k) block.drift[k] = from.drift[2 - k] * turn.first_week + int8_t(turn.step >> 33);
  device balance_block &to = out[i];
  to.right = block.both.y;
  to.both.x = block.left;
  to.flags = block.flags;
  for (int k = 0; k < 3; ++k) to.drift[k] = block.drift[k];
}

union two_words {
  half2 halves;
  ushort2 words;
};
template <typename Block>
struct shelf {
  Block block;
  union {
    vec<half, 2> both;
    half each[2];
  } last;
  two_words words;
};

// Each as a whole: out of memory, into variables and back, by way of memory that threads share.
kernel void exchange(device const balance_block *in, device balance_block *out, uint i [[thread_index_in_threadgroup]],
                     uint n [[threads_per_threadgroup]]) {
  threadgroup shelf<balance_block> shelves[32];
  shelf<balance_block> mine, other;
  mine.block = in[i];
  mine.words.halves = mine.block.both;
  mine.last.both = half2(i, -half(i));
  shelves[i] = mine;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  two_words words;
  other = shelves[n - 1 - i];
  words = other.words;
  other.block.drift[0] = short(other.last.each[1]);
  other.block.right = as_type<half2>(words.words).x;
  out[i] = other.block;
}
