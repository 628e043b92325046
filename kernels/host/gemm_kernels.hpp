// The GEMM kernels that a layer chooses from. What is known of each is made of its entry in kernels.toml when
// this is built (kernels/tables/main.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "harness/device/device.hpp"
#include "kernels/host/packed_weights.hpp"

namespace assay::host {

/// What a buffer index is bound to. Tensors are whole buffers, dimensions are passed by copy as uint.
enum class KernelArgument {
  A,         ///< half [M, K]
  B,         ///< uint [ceil(K/8), N]
  scales,    ///< half [ceil(K/group_size), N]
  zeros,     ///< half, as scales
  C,         ///< half [M, N]
  partials,  ///< float [slices, M, N], zero between launches
  counters,  ///< uint, one an output tile, zero between launches
  M,
  N,
  K,
  group_size,
  parallel,        ///< slices of K
  packed_indices,  ///< uchar [ceil(K/16), ceil(N/16), 32 * bits]; with these scales are float
  grid,            ///< float [n_levels]
  su,              ///< float [K]
  sv,              ///< float [N]
  bits,
  n_levels,
};

/// As manifests spell it.
std::string_view name_of(KernelArgument argument);

struct KernelDescription {
  std::string_view name;                      ///< also of its function, and with ".metal" of its file
  std::span<const KernelArgument> arguments;  ///< by buffer index
  std::uint32_t tile_m = 0, tile_n = 0;       ///< of C, that one threadgroup computes; 0: no tile
  std::size_t threadgroup_bytes = 0;
  std::uint32_t threads_per_threadgroup = 128;
};

/// What a kernel is good for.
enum class KernelRole {
  decode,   ///< a few rows: its tile has 16
  fused,    ///< least threadgroup memory, so most threadgroups at a time
  staged,   ///< two buffers; each packed word is read once a tile
  striped,  ///< as staged with one buffer, K cut into slices for more threadgroups
};

inline constexpr KernelRole kKernelRoles[] = {KernelRole::decode, KernelRole::fused, KernelRole::staged,
                                              KernelRole::striped};

/// "decode", "fused", "staged", "striped".
std::string_view name_of(KernelRole role);

/// The kernel of this role, or null: INT4 weights have the fused one only.
const KernelDescription* find_kernel(WeightFormat format, KernelRole role);

/// `marlin_zero_reduction`, which clears partials and counters.
const KernelDescription& zero_reduction_kernel();

/// Elements of K in one tile of every kernel here.
inline constexpr std::size_t kTileK = 32;

/// What a device loads; `folder` is the one that holds the `.metal` files.
device::KernelSource source_of(const KernelDescription& kernel, const std::filesystem::path& folder);

}  // namespace assay::host
