#include "kernels/host/gemm_kernels.hpp"

#include <stdexcept>
#include <string>

namespace assay::host {
namespace {

using enum KernelArgument;

constexpr KernelArgument kFp4Arguments[] = {A, B, scales, C, M, N, K, group_size};
constexpr KernelArgument kInt4Arguments[] = {A, B, scales, zeros, C, M, N, K, group_size};
constexpr KernelArgument kStripedArguments[] = {A, B, scales, C,          partials, counters,
                                                M, N, K,      group_size, parallel};
constexpr KernelArgument kZeroArguments[] = {partials, counters, M, N, parallel};

constexpr KernelDescription kDecode = {"marlin_gemm_fp4_decode", kFp4Arguments, 16, 64, 15360};
constexpr KernelDescription kStaged = {"marlin_gemm_fp4", kFp4Arguments, 64, 64, 16384};
constexpr KernelDescription kFused = {"marlin_gemm_fused_fp4", kFp4Arguments, 64, 64, 4608};
constexpr KernelDescription kStriped = {"marlin_gemm_fp4_striped", kStripedArguments, 64, 64, 8196};
constexpr KernelDescription kFusedU4 = {"marlin_gemm_fused_u4", kInt4Arguments, 64, 64, 4608};
constexpr KernelDescription kFusedS4 = {"marlin_gemm_fused_s4", kInt4Arguments, 64, 64, 4608};
constexpr KernelDescription kZeroReduction = {"marlin_zero_reduction", kZeroArguments, 0, 0, 0};

}  // namespace

std::string_view name_of(KernelArgument argument) {
  constexpr std::string_view kNames[] = {
      "A", "B",          "scales",   "zeros",          "C",    "partials", "counters", "M",    "N",
      "K", "group_size", "parallel", "packed_indices", "grid", "su",       "sv",       "bits", "n_levels"};
  return kNames[static_cast<std::size_t>(argument)];
}

std::string_view name_of(KernelRole role) {
  constexpr std::string_view kNames[] = {"decode", "fused", "staged", "striped"};
  return kNames[static_cast<std::size_t>(role)];
}

const KernelDescription* find_kernel(WeightFormat format, KernelRole role) {
  if (format != WeightFormat::fp4) {
    if (role != KernelRole::fused) return nullptr;
    return format == WeightFormat::u4 ? &kFusedU4 : &kFusedS4;
  }
  switch (role) {
    case KernelRole::decode:
      return &kDecode;
    case KernelRole::fused:
      return &kFused;
    case KernelRole::staged:
      return &kStaged;
    case KernelRole::striped:
      return &kStriped;
  }
  return nullptr;
}

const KernelDescription& zero_reduction_kernel() { return kZeroReduction; }

device::KernelSource source_of(const KernelDescription& kernel, const std::filesystem::path& folder) {
  const std::string name(kernel.name);
  return {folder / (name + ".metal"), name, {}, {}, {}};
}

}  // namespace assay::host
