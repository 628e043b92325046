// The GEMM kernels of trellis weights, as the manifest describes them, and which of them computes a product.
#pragma once

#include <cstddef>

#include "assay/device/device.hpp"
#include "kernels/host/gemm_kernels.hpp"

namespace assay::host {

/// C [M, N] = A [M, K] x W [K, N].
struct TrellisProblem {
  std::size_t M = 0, N = 0, K = 0;
  std::size_t group_size = 0;
  unsigned bits = 0;
};

/// `gemm_trellis_packed`, tile 64x64, and `gemm_trellis_packed_decode`, tile 32x128.
const KernelDescription& trellis_prefill_kernel();
const KernelDescription& trellis_decode_kernel();

/// The rule of document 002, section 2.1 (docs/documents.md): decode for M <= 16, else prefill. Throws
/// std::invalid_argument that names the field: sizes of zero or out of reach of 32-bit indices, a group size
/// that is no positive multiple of 8, bits other than 2, 3 and 4, a device without the kernel's threads or
/// threadgroup memory.
const KernelDescription& choose_trellis_kernel(const TrellisProblem& problem, const device::Limits& limits);

}  // namespace assay::host
