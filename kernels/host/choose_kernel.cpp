#include "kernels/host/choose_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/host/arguments.hpp"
#include "reference/groups.hpp"
#include "reference/packing.hpp"
#include "reference/shape.hpp"

namespace assay::host {
namespace {

using reference::ceil_div;

constexpr std::size_t kDecodeRows = 16;
constexpr std::size_t kSliceKTiles = 8;

bool fits(const KernelDescription* kernel, const device::Limits& limits) {
  return kernel != nullptr && kernel->threadgroup_bytes <= limits.threadgroup_memory_bytes &&
         kernel->threads_per_threadgroup <= limits.threads_per_threadgroup && limits.simdgroup_width == 32;
}

/// Threadgroups of a fitting kernel that the GPU holds at a time, as far as memory decides it.
std::size_t resident(const KernelDescription& kernel, const device::Limits& limits, unsigned cores) {
  return cores * (limits.threadgroup_memory_bytes / kernel.threadgroup_bytes);
}

std::size_t tiles_of(const KernelDescription& kernel, const GemmProblem& problem) {
  return ceil_div(problem.M, kernel.tile_m) * ceil_div(problem.N, kernel.tile_n);
}

/// The most slices of equal depth, up to `wanted`, that are worth their partial sums.
std::size_t slices_for(const GemmProblem& problem, std::size_t wanted, std::size_t tile_k,
                       const device::Limits& limits) {
  const std::size_t k_tiles = ceil_div(problem.K, tile_k);
  const std::size_t partials =
      std::min(limits.buffer_bytes / partials_bytes(problem, 1), (kIndices - 1) / (problem.M * problem.N));
  const std::size_t slices = std::min({wanted, k_tiles / kSliceKTiles, partials});
  return slices < 2 ? 1 : ceil_div(k_tiles, ceil_div(k_tiles, slices));
}

}  // namespace

void check(const GemmProblem& problem) {
  for (const auto& [field, size] :
       {std::pair{"M", problem.M}, std::pair{"N", problem.N}, std::pair{"K", problem.K}}) {
    check_dimension(field, size);
  }
  reference::check_group_size(problem.group_size);
  if (problem.group_size >= kIndices) {
    throw std::invalid_argument(fmt::format("group_size: {} does not fit in 32 bits", problem.group_size));
  }
  check_indices("A", problem.M, problem.K);
  check_indices("C", problem.M, problem.N);
  check_indices("words", ceil_div(problem.K, reference::kNibblesPerWord), problem.N);
}

KernelChoice choose_kernel(const GemmProblem& problem, const device::Limits& limits, unsigned cores) {
  check(problem);
  const auto usable = [&](KernelRole role) {
    const KernelDescription* kernel = find_kernel(problem.format, role);
    return fits(kernel, limits) ? kernel : nullptr;
  };
  if (problem.M <= kDecodeRows && usable(KernelRole::decode) != nullptr) return {KernelRole::decode};
  if (const auto* staged = usable(KernelRole::staged);
      staged != nullptr && tiles_of(*staged, problem) >= resident(*staged, limits, cores)) {
    return {KernelRole::staged};
  }
  if (const auto* striped = usable(KernelRole::striped)) {
    const std::size_t tiles = tiles_of(*striped, problem);
    const std::size_t slices =
        slices_for(problem, ceil_div(resident(*striped, limits, cores), tiles), striped->tile_k, limits);
    if (slices > 1) {
      return {KernelRole::striped, static_cast<std::uint32_t>(slices),
              static_cast<std::uint32_t>(tiles * slices)};
    }
  }
  const KernelChoice fused = {KernelRole::fused};
  check(fused, problem, limits);
  return fused;
}

void check(const KernelChoice& choice, const GemmProblem& problem, const device::Limits& limits) {
  check(problem);
  const KernelDescription* kernel = find_kernel(problem.format, choice.role);
  if (kernel == nullptr) {
    throw std::invalid_argument(fmt::format("choice: there is no {} kernel for {} weights",
                                            name_of(choice.role), name_of(problem.format)));
  }
  if (!fits(kernel, limits)) {
    throw std::invalid_argument(
        fmt::format("choice: {} needs {} bytes of threadgroup memory and {} threads in simdgroups of 32; the "
                    "device has {} bytes, {} threads, simdgroups of {}",
                    kernel->name, kernel->threadgroup_bytes, kernel->threads_per_threadgroup,
                    limits.threadgroup_memory_bytes, limits.threads_per_threadgroup, limits.simdgroup_width));
  }
  if (choice.role != KernelRole::striped) {
    if (choice.slices != 1 || choice.threadgroups != 0) {
      throw std::invalid_argument(fmt::format(
          "choice: slices and threadgroups are for the striped kernel, not for {}", kernel->name));
    }
    return;
  }
  reference::check_positive("slices", choice.slices);
  reference::check_positive("threadgroups", choice.threadgroups);
  const std::size_t elements = reference::checked_product("partials", problem.M * problem.N, choice.slices);
  if (elements >= kIndices || partials_bytes(problem, choice.slices) > limits.buffer_bytes) {
    throw std::invalid_argument(
        fmt::format("slices: {} slices of {} x {} partial sums do not fit in a buffer of {} bytes",
                    choice.slices, problem.M, problem.N, std::min(limits.buffer_bytes, 4 * kIndices)));
  }
  const std::size_t units = striped_tiles(problem) * choice.slices;
  if (units + choice.threadgroups > kIndices) {
    throw std::invalid_argument(
        fmt::format("threadgroups: {} are too many for 32-bit work units", choice.threadgroups));
  }
}

device::Size3 grid_of(const KernelChoice& choice, const GemmProblem& problem) {
  if (choice.role == KernelRole::striped) return {choice.threadgroups, 1, 1};
  const KernelDescription& kernel = *find_kernel(problem.format, choice.role);
  return {static_cast<std::uint32_t>(ceil_div(problem.N, kernel.tile_n)),
          static_cast<std::uint32_t>(ceil_div(problem.M, kernel.tile_m)), 1};
}

std::size_t striped_tiles(const GemmProblem& problem) {
  return tiles_of(*find_kernel(WeightFormat::fp4, KernelRole::striped), problem);
}

std::size_t partials_bytes(const GemmProblem& problem, std::uint32_t slices) {
  return sizeof(float) * slices * problem.M * problem.N;
}

}  // namespace assay::host
