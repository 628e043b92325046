#include "kernels/host/trellis_kernels.hpp"

#include "kernel_tables.hpp"
#include "kernels/host/arguments.hpp"
#include "reference/groups.hpp"
#include "reference/shape.hpp"
#include "reference/trellis.hpp"

namespace assay::host {
namespace {

constexpr std::size_t kDecodeRows = 16;

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

const KernelDescription& trellis_prefill_kernel() { return tables::gemm_trellis_packed; }
const KernelDescription& trellis_decode_kernel() { return tables::gemm_trellis_packed_decode; }

const KernelDescription& choose_trellis_kernel(const TrellisProblem& problem, const device::Limits& limits) {
  check(problem);
  const KernelDescription& kernel =
      problem.M <= kDecodeRows ? tables::gemm_trellis_packed_decode : tables::gemm_trellis_packed;
  check_device(kernel, limits);
  return kernel;
}

}  // namespace assay::host
