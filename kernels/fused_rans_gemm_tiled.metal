// y = x W^T for a batch of x with rANS weights, in tiles of y: a threadgroup computes RANS_BATCH rows of the
// batch by one row of tiles, whose tiles its simdgroups take in turn. So every simdgroup decodes and
// multiplies, and none waits for another before the sums of all are added up.
//
// A tile is decoded once for each RANS_BATCH rows of the batch, by threadgroups that lie side by side in the
// grid and read the same bytes. Cutting N between threadgroups would need a reduction in device memory.
#include "include/rans_tiles.h"

/// Weights in arrays of their own, with checksums that tell what is damaged.
struct RansArrays {
  RansMatrix rans;
  device uint* status;  // [tiles]
  device const uchar* data;
  uint streams;
  float scale, zero_point;

  void cumulate_tile(uint tile, threadgroup RansTable& table, uint lane) const {
    cumulate(rans.freq + tile * RANS_SYMBOLS, table, lane);
  }
  uint symbols(uint tile) const { return rans.n_symbols[tile]; }
  RansStream open(uint tile, uint lane) const { return open_stream(rans, tile * streams + lane); }
  bool ends_well(uint tile, uint lane, thread const PrefetchedStream& stream) const {
    return is_sound(stream, rans.checksums[tile * streams + lane]);
  }
  void tell(uint tile, bool sound) const { status[tile] = sound ? 0 : 1; }
};

kernel void fused_rans_gemm_tiled(
    device const ushort* freq [[buffer(0)]],         // [tiles, 16]
    device const uint* stream_offset [[buffer(1)]],  // [tiles, streams]
    device const uint* n_symbols [[buffer(2)]],      // [tiles]
    device const uint* checksums [[buffer(3)]],      // [tiles, streams]
    device const uchar* data [[buffer(4)]],          // [data_bytes]
    constant float& scale [[buffer(5)]], constant float& zero_point [[buffer(6)]],
    device const float* x [[buffer(7)]],  // [batch, N]
    device float* y [[buffer(8)]],        // [batch, M]: NaN in rows of damaged tiles
    device uint* status [[buffer(9)]],    // [tiles]: 0 where sound
    constant uint& batch [[buffer(10)]], constant uint& M [[buffer(11)]], constant uint& N [[buffer(12)]],
    constant uint& streams [[buffer(13)]],  // 1 to 32
    constant uint& data_bytes [[buffer(14)]], uint2 position [[threadgroup_position_in_grid]],
    uint2 grid [[threadgroups_per_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup RansShares shares;

  const uint tiles = grid.y * ((N + RANS_TILE_COLS - 1) / RANS_TILE_COLS);
  const RansMatrix rans = {freq, stream_offset, n_symbols, checksums, data, data_bytes, tiles, streams};
  const RansArrays weights = {rans, status, data, streams, scale, zero_point};
  gemm_rans(weights, x, y, {batch, M, N}, position, thread_index, simdgroup, lane, shares);
}
