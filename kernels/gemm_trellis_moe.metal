// A layer of experts with SwiGLU in one launch: out = sum over a token's slots of
// probability * (silu(x gate) * (x up)) down, with trellis weights.
//
// A threadgroup computes 16 tokens and 64 columns of the output. Of each expert that one of its tokens goes
// to, it makes 64 hidden columns at a time and multiplies them into the output, so that the hidden vectors,
// however long, never leave threadgroup memory; each threadgroup of a row makes them anew. The parts lie side
// by side.
#define TILE_M 16
#define PART_M 16
#define PART_N 16
#include "include/moe.h"

kernel void gemm_trellis_moe(
    device const half* x [[buffer(0)]],                      // [M, K]
    device const uint* expert_ids [[buffer(1)]],             // [M, top_k]
    device const float* expert_probs [[buffer(2)]],          // [M, top_k]
    device const uchar* gate_packed_indices [[buffer(3)]],   // experts x [K, intermediate]
    device const float* gate_scales [[buffer(4)]],
    device const float* gate_grid [[buffer(5)]],
    device const float* gate_su [[buffer(6)]],
    device const float* gate_sv [[buffer(7)]],
    device const uchar* up_packed_indices [[buffer(8)]],     // as gate
    device const float* up_scales [[buffer(9)]],
    device const float* up_grid [[buffer(10)]],
    device const float* up_su [[buffer(11)]],
    device const float* up_sv [[buffer(12)]],
    device const uchar* down_packed_indices [[buffer(13)]],  // experts x [intermediate, N]
    device const float* down_scales [[buffer(14)]],
    device const float* down_grid [[buffer(15)]],
    device const float* down_su [[buffer(16)]],
    device const float* down_sv [[buffer(17)]],
    device half* out [[buffer(18)]],                         // [M, N]
    constant MoeParams& params [[buffer(19)]],
    uint2 threadgroup_position [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup half x_tile[TILE_M * TILE_K];
  threadgroup HiddenTiles hidden;
  threadgroup MoeStaging stagings[PARTS];

  const Experts gates = {gate_packed_indices, gate_scales, gate_grid, gate_su, gate_sv,
                         params.K, params.intermediate};
  const Experts ups = {up_packed_indices, up_scales, up_grid, up_su, up_sv,
                       params.K, params.intermediate};
  const Experts downs = {down_packed_indices, down_scales, down_grid, down_su, down_sv,
                         params.intermediate, params.N};
  const Routing routing = {expert_ids, expert_probs, params.M, params.top_k};
  const Corner tile = tile_corner(threadgroup_position);
  const Corner part = part_corner(simdgroup);
  threadgroup MoeStaging& staging = stagings[simdgroup];

  Totals totals = {};
  for (uint expert = 0; expert < params.num_experts; ++expert) {
    if (!routing.any(expert, tile.row)) continue;
    const TrellisWeights gate_weights = gates.of(expert, params);
    const TrellisWeights up_weights = ups.of(expert, params);
    const TrellisWeights down_weights = downs.of(expert, params);
    Sums sums;
    clear(sums);
    for (uint first = 0; first < params.intermediate; first += TILE_N) {
      const Corner columns = Corner{0, first} + part;
      Sums gate, up;
      clear(gate);
      clear(up);
      for (uint k = 0; k < params.K; k += TILE_K) {
        load_a(x, gate_weights.shape, tile.row, k, x_tile, thread_index, THREADS);
        threadgroup_barrier(mem_flags::mem_threadgroup);  // the tile of x is complete
        multiply_pieces(gate_weights, x_tile, staging.piece_of_w, k, part, columns, lane, gate);
        multiply_pieces(up_weights, x_tile, staging.piece_of_w, k, part, columns, lane, up);
        threadgroup_barrier(mem_flags::mem_threadgroup);  // everybody is done with it and the hidden tiles
      }
      swiglu(gate, up, staging, part, params.intermediate - first, lane, hidden);
      threadgroup_barrier(mem_flags::mem_threadgroup);  // the hidden tiles are complete
      for (uint i = 0; i < TILE_N / TILE_K; ++i) {
        multiply_pieces(down_weights, hidden.at[i], staging.piece_of_w, first + i * TILE_K, part, tile + part,
                        lane, sums);
      }
    }
    add_weighted(sums, staging.pieces_of_sums[0], routing, expert, tile.row, lane, totals);
  }
  store(totals, out, params.M, params.N, tile + part, lane);
}
