#include "kernels/host/trellis_kernels.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "kernels/host/arguments.hpp"
#include "reference/groups.hpp"
#include "reference/shape.hpp"
#include "reference/trellis.hpp"

namespace assay::host {
namespace {

using enum KernelArgument;

constexpr std::size_t kDecodeRows = 16;

constexpr KernelArgument kArguments[] = {A, packed_indices, scales, grid,    su, sv, C, M, N,
                                         K, group_size,     bits,   n_levels};
constexpr KernelDescription kPrefill = {"gemm_trellis_packed", kArguments, 64, 64, 9216};
constexpr KernelDescription kDecode = {"gemm_trellis_packed_decode", kArguments, 32, 128, 5120};

void check(const TrellisProblem& problem) {
  check_dimension("M", problem.M);
  check_dimension("N", problem.N);
  check_dimension("K", problem.K);
  reference::check_group_size(problem.group_size);
  check_dimension("group_size", problem.group_size);
  check_indices("A", problem.M, problem.K);
  check_indices("C", problem.M, problem.N);
  const std::size_t tiles_n = reference::ceil_div(problem.N, reference::kTrellisTile);
  check_indices("packed_indices", reference::ceil_div(problem.K, reference::kTrellisTile),
                tiles_n * reference::trellis_tile_bytes(problem.bits));
  check_indices("scales", reference::group_count(problem.K, problem.group_size), problem.N);
}

}  // namespace

const KernelDescription& trellis_prefill_kernel() { return kPrefill; }
const KernelDescription& trellis_decode_kernel() { return kDecode; }

const KernelDescription& choose_trellis_kernel(const TrellisProblem& problem, const device::Limits& limits) {
  check(problem);
  const KernelDescription& kernel = problem.M <= kDecodeRows ? kDecode : kPrefill;
  if (kernel.threadgroup_bytes > limits.threadgroup_memory_bytes ||
      kernel.threads_per_threadgroup > limits.threads_per_threadgroup || limits.simdgroup_width != 32) {
    throw std::invalid_argument(
        fmt::format("device: {} needs {} bytes of threadgroup memory and {} threads in simdgroups of 32; the "
                    "device has {} bytes, {} threads, simdgroups of {}",
                    kernel.name, kernel.threadgroup_bytes, kernel.threads_per_threadgroup,
                    limits.threadgroup_memory_bytes, limits.threads_per_threadgroup, limits.simdgroup_width));
  }
  return kernel;
}

}  // namespace assay::host
