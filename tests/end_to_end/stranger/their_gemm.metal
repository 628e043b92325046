// A kernel by somebody else: other argument order, sizes in one vector, another tile, nothing shared with Assay's.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

constant constexpr uint BM = 32, BN = 32, BK = 16;
constant float kLevels[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};

METAL_FUNC half decode(uint code, half scale) {
  half v = half(kLevels[code & 7]);
  return (code & 8 ? -v : v) * scale;
}

kernel void their_gemm(device half* out [[buffer(0)]], const device half* scale_table [[buffer(1)]],
                       const device uint* codes [[buffer(2)]], const device half* x [[buffer(3)]],
                       constant uint3& MNK [[buffer(4)]], constant uint& group [[buffer(5)]],
                       uint3 tgid [[threadgroup_position_in_grid]], ushort tid [[thread_index_in_threadgroup]],
                       ushort sg [[simdgroup_index_in_threadgroup]], ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup half xs[BM][BK], ws[BK][BN];
  threadgroup float ys[BM][BN];
  const uint M = MNK.x, N = MNK.y, K = MNK.z;
  const uint2 base = uint2(tgid.y * BM, tgid.x * BN);
  simdgroup_matrix<float, 8, 8> acc[2][2];
  for (auto& row : acc) {
    for (auto& one : row) one = simdgroup_matrix<float, 8, 8>(0);
  }
  for (uint k0 = 0; k0 < K; k0 += BK) {
    for (uint e = tid; e < BM * BK; e += 128) {
      const uint r = e / BK, c = e % BK;
      xs[r][c] = base.x + r < M && k0 + c < K ? x[(base.x + r) * K + k0 + c] : 0.0h;
    }
    for (uint e = tid; e < BK * BN; e += 128) {
      const uint r = e / BN, c = e % BN, k = k0 + r, n = base.y + c;
      ws[r][c] = k < K && n < N ? decode(codes[k / 8 * N + n] >> (k % 8 * 4) & 15, scale_table[k / group * N + n]) : 0.0h;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < BK; k += 8) {
      for (uint i = 0; i < 2; ++i) {
        simdgroup_matrix<half, 8, 8> a;
        simdgroup_load(a, &xs[sg / 2 * 16 + i * 8][k], BK);
        for (uint j = 0; j < 2; ++j) {
          simdgroup_matrix<half, 8, 8> b;
          simdgroup_load(b, &ws[k][sg % 2 * 16 + j * 8], BN);
          simdgroup_multiply_accumulate(acc[i][j], a, b, acc[i][j]);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (uint i = 0; i < 2; ++i) {
    for (uint j = 0; j < 2; ++j) simdgroup_store(acc[i][j], &ys[sg / 2 * 16 + i * 8][sg % 2 * 16 + j * 8], BN);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint e = tid; e < BM * BN; e += 128) {
    const uint r = e / BN, c = e % BN;
    if (base.x + r < M && base.y + c < N) out[(base.x + r) * N + base.y + c] = half(ys[r][c]);
  }
}
