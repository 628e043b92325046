// Which kernel computes a product, and with what grid. Pure functions of sizes and limits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/device/device.hpp"
#include "kernels/host/gemm_kernels.hpp"

namespace assay::host {

/// C [M, N] = A [M, K] x W [K, N].
struct GemmProblem {
  WeightFormat format{};
  std::size_t M = 0, N = 0, K = 0;
  std::size_t group_size = 0;
};

/// Throws std::invalid_argument naming the field: sizes of zero, a group size that is no positive multiple of
/// 8, tensors of 2^32 elements and more, which the kernels' 32-bit indices do not reach.
void check(const GemmProblem& problem);

struct KernelChoice {
  KernelRole role{};
  std::uint32_t slices = 1;        ///< of K; more than 1 in a striped launch only
  std::uint32_t threadgroups = 0;  ///< of a striped launch, any number from 1; others follow from M and N
  bool operator==(const KernelChoice&) const = default;
};

/// Cores of a GPU that the device interface does not tell: those that document 001, section "load phase"
/// (docs/documents.md), gives an M4 Max.
inline constexpr unsigned kDefaultCores = 40;

/// The rule. A kernel is out of the question where its threadgroup memory or its 128 threads in simdgroups of
/// 32 exceed the limits. Of the others, in this order:
///
/// 1. decode for M <= 16: of a tile of 64 rows three quarters would be padding;
/// 2. staged where there are tiles to fill the GPU: as many as the cores hold at a time. It reads and
///    dequantizes each packed word once a tile, the fused kernel eight times (docs/claims.md, "The kernels");
/// 3. striped where K can be cut so that a slice keeps at least 8 K tiles, the last one apart: its 16,384
///    bytes of partial sums are written, read and cleared, 49,152 in all, little more than the 41,984 of A, W
///    and scales (in groups of 32) of 8 K tiles. As many slices as fill the GPU, none of them empty, and a
///    threadgroup for each;
/// 4. fused: where few tiles of little depth leave the GPU idle, and where nothing larger fits.
///
/// The kernels of three buffers (triple, shallow, hybrid) are for callers that ask for them: no count speaks
/// for them, and what they may gain takes a clock. docs/dispatch.md has each rule of the documents beside
/// this one.
///
/// INT4 weights have the fused kernel alone. The group size does not matter to the choice: every kernel takes
/// any. Throws std::invalid_argument as check does, and where no kernel of the format fits the limits.
KernelChoice choose_kernel(const GemmProblem& problem, const device::Limits& limits,
                           unsigned cores = kDefaultCores);

/// Throws std::invalid_argument where the format has no kernel of the role, the kernel exceeds the limits, or
/// slices and threadgroups do not suit the role. Empty slices are allowed: the kernel takes them.
void check(const KernelChoice& choice, const GemmProblem& problem, const device::Limits& limits);

/// Threadgroups of a checked choice: (ceil(N / tile_n), ceil(M / tile_m)), or `threadgroups` in one row.
device::Size3 grid_of(const KernelChoice& choice, const GemmProblem& problem);

/// Output tiles of the striped kernel, each with a counter.
std::size_t striped_tiles(const GemmProblem& problem);

/// Bytes of the partial sums: float [slices, M, N].
std::size_t partials_bytes(const GemmProblem& problem, std::uint32_t slices);

}  // namespace assay::host
