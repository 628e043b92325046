// Mixture of experts: each token is sent to top_k of the experts, which have weights of their own.
#pragma once

#include "double_a.h"
#include "trellis.h"

/// As the host lays it out.
struct MoeParams {
  uint M;             // tokens
  uint K;             // of the input
  uint N;             // of the output
  uint num_experts;
  uint top_k;         // experts of a token, not necessarily different ones
  uint bits;
  uint group_size;
  uint n_levels;
  uint intermediate;  // outputs of gate and up, inputs of down
};

/// Which experts a token goes to, and what each counts.
struct Routing {
  device const uint* expert_ids;      // [M, top_k], each below num_experts
  device const float* expert_probs;   // [M, top_k]
  uint M, top_k;

  /// Whether one of the TILE_M tokens from `first` on goes to the expert; the same for all threads.
  bool any(uint expert, uint first) const {
    const uint end = min(first + TILE_M, M) * top_k;
    for (uint i = first * top_k; i < end; ++i) {
      if (expert_ids[i] == expert) return true;
    }
    return false;
  }
};

/// The trellis weights of one projection, expert after expert: W [num_experts, rows, columns].
struct Experts {
  device const uchar* packed_indices;
  device const float* scales;
  device const float* grid;
  device const float* su;
  device const float* sv;
  uint rows, columns;

  TrellisWeights of(uint expert, constant MoeParams& params) const {
    const uint tiles = tiles_over(rows) * tiles_over(columns);
    const uint groups = (rows + params.group_size - 1) / params.group_size;
    return {packed_indices + ulong(expert) * tiles * (TRELLIS_TILE * TRELLIS_TILE / 8 * params.bits),
            scales + expert * groups * columns,
            grid + expert * params.n_levels,
            su + expert * rows,
            sv + expert * columns,
            {params.M, columns, rows, params.group_size},
            params.bits,
            params.n_levels};
  }

  static uint tiles_over(uint size) { return (size + TRELLIS_TILE - 1) / TRELLIS_TILE; }
};

/// A simdgroup's own memory: the piece of W that it multiplies next, or the pieces of sums that its lanes
/// look into.
union MoeStaging {
  half piece_of_w[8 * 8];
  float pieces_of_sums[2][8 * 8];
};

/// Hidden values of TILE_N columns as tiles that can be multiplied.
struct HiddenTiles {
  half at[TILE_N / TILE_K][TILE_M * TILE_K];
};

inline float silu(float x) { return x / (1.0f + exp(-x)); }

/// hidden = silu(gate) * up for the simdgroup's part, rounded to half. Columns from `inside` on are 0.
inline void swiglu(thread const Sums& gate, thread const Sums& up, threadgroup MoeStaging& staging,
                   Corner part, uint inside, uint lane, threadgroup HiddenTiles& hidden) {
  for (uint m = 0; m < PART_M / 8; ++m) {
    for (uint n = 0; n < PART_N / 8; ++n) {
      simdgroup_store(gate.at[m][n], staging.pieces_of_sums[0], 8);
      simdgroup_store(up.at[m][n], staging.pieces_of_sums[1], 8);
      simdgroup_barrier(mem_flags::mem_threadgroup);  // both pieces are complete
      for (uint i = lane; i < 8 * 8; i += SIMDGROUP_WIDTH) {
        const uint row = part.row + 8 * m + i / 8;
        const uint column = part.column + 8 * n + i % 8;
        const float value = silu(staging.pieces_of_sums[0][i]) * staging.pieces_of_sums[1][i];
        hidden.at[column / TILE_K][row * TILE_K + column % TILE_K] = column < inside ? half(value) : half(0);
      }
      simdgroup_barrier(mem_flags::mem_threadgroup);  // and read: the next may be written
    }
  }
}

/// What a lane adds up of the output: of each 8x8 piece of its simdgroup's part, the elements lane and
/// lane + 32.
struct Totals {
  float at[PART_M / 8][PART_N / 8][2];
};

/// totals += probability * sums, once for every slot that sends a token to the expert.
inline void add_weighted(thread const Sums& sums, threadgroup float* staging, thread const Routing& routing,
                         uint expert, uint first_token, uint lane, thread Totals& totals) {
  for (uint m = 0; m < PART_M / 8; ++m) {
    for (uint n = 0; n < PART_N / 8; ++n) {
      simdgroup_store(sums.at[m][n], staging, 8);
      simdgroup_barrier(mem_flags::mem_threadgroup);  // the piece is complete
      for (uint i = 0; i < 2; ++i) {
        const uint element = lane + i * SIMDGROUP_WIDTH;
        const uint token = first_token + 8 * m + element / 8;
        for (uint slot = 0; token < routing.M && slot < routing.top_k; ++slot) {
          const uint route = token * routing.top_k + slot;
          if (routing.expert_ids[route] != expert) continue;
          totals.at[m][n][i] += routing.expert_probs[route] * staging[element];
        }
      }
      simdgroup_barrier(mem_flags::mem_threadgroup);  // and read: the next may be written
    }
  }
}

/// out[corner..] = totals, rounded once, clipped to [M, N].
inline void store(thread const Totals& totals, device half* out, uint M, uint N, Corner corner, uint lane) {
  for (uint m = 0; m < PART_M / 8; ++m) {
    for (uint n = 0; n < PART_N / 8; ++n) {
      for (uint i = 0; i < 2; ++i) {
        const uint element = lane + i * SIMDGROUP_WIDTH;
        const uint row = corner.row + 8 * m + element / 8;
        const uint column = corner.column + 8 * n + element % 8;
        if (row < M && column < N) out[row * N + column] = half(totals.at[m][n][i]);
      }
    }
  }
}
