// The GEMM kernels that a layer chooses from. What is known of each is made of its entry in kernels.toml when
// this is built (kernels/tables/main.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "assay/device/device.hpp"
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

/// A preprocessor definition, name to text.
struct KernelDefine {
  std::string_view name, text;
};

struct KernelDescription {
  std::string_view name;
  std::span<const KernelArgument> arguments;  ///< by buffer index
  std::uint32_t tile_m = 0, tile_n = 0;       ///< of C, that one threadgroup computes; 0: no tile
  std::size_t threadgroup_bytes = 0;
  std::uint32_t threads_per_threadgroup = 128;
  std::uint32_t tile_k = 0;               ///< of K, that one step of its loop takes; 0: no tile
  std::string_view function;              ///< with ".metal" also the name of its file
  std::span<const KernelDefine> defines;  ///< that make this kernel of its text
};

/// What a kernel is good for. choose_kernel takes the first four; the others are there for who asks for them
/// (docs/dispatch.md).
enum class KernelRole {
  decode,   ///< a few rows: its tile has 16
  fused,    ///< least threadgroup memory, so most threadgroups at a time
  staged,   ///< two buffers; each packed word is read once a tile
  striped,  ///< as staged with one buffer, K cut into slices for more threadgroups
  triple,   ///< three buffers: half of the simdgroups load ahead of the half that multiplies
  shallow,  ///< as triple with K tiles of 16, so that a short K has more of them
  hybrid,   ///< as fused with three buffers of A
};

inline constexpr KernelRole kKernelRoles[] = {KernelRole::decode,  KernelRole::fused,  KernelRole::staged,
                                              KernelRole::striped, KernelRole::triple, KernelRole::shallow,
                                              KernelRole::hybrid};

/// "decode", "fused", "staged", "striped", "triple", "shallow", "hybrid".
std::string_view name_of(KernelRole role);

/// The kernel of this role, or null: INT4 weights have the fused one only.
const KernelDescription* find_kernel(WeightFormat format, KernelRole role);

/// `marlin_zero_reduction`, which clears partials and counters.
const KernelDescription& zero_reduction_kernel();

/// What a device loads; `folder` is the one that holds the `.metal` files.
device::KernelSource source_of(const KernelDescription& kernel, const std::filesystem::path& folder);

}  // namespace assay::host
