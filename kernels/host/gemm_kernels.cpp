#include "kernels/host/gemm_kernels.hpp"

#include <stdexcept>
#include <string>

#include "kernel_tables.hpp"

namespace assay::host {
std::string_view name_of(KernelArgument argument) {
  constexpr std::string_view kNames[] = {
      "A", "B",          "scales",   "zeros",          "C",    "partials", "counters", "M",    "N",
      "K", "group_size", "parallel", "packed_indices", "grid", "su",       "sv",       "bits", "n_levels"};
  return kNames[static_cast<std::size_t>(argument)];
}

std::string_view name_of(KernelRole role) {
  constexpr std::string_view kNames[] = {"decode", "fused",   "staged", "striped",
                                         "triple", "shallow", "hybrid"};
  return kNames[static_cast<std::size_t>(role)];
}

const KernelDescription* find_kernel(WeightFormat format, KernelRole role) {
  if (format != WeightFormat::fp4) {
    if (role != KernelRole::fused) return nullptr;
    return format == WeightFormat::u4 ? &tables::marlin_gemm_fused_u4 : &tables::marlin_gemm_fused_s4;
  }
  switch (role) {
    case KernelRole::decode:
      return &tables::marlin_gemm_fp4_decode;
    case KernelRole::fused:
      return &tables::marlin_gemm_fused_fp4;
    case KernelRole::staged:
      return &tables::marlin_gemm_fp4;
    case KernelRole::striped:
      return &tables::marlin_gemm_fp4_striped;
    case KernelRole::triple:
      return &tables::marlin_gemm_fp4_triple;
    case KernelRole::shallow:
      return &tables::marlin_gemm_fp4_triple_64x64x16;
    case KernelRole::hybrid:
      return &tables::marlin_gemm_fused_fp4_triple_a;
  }
  return nullptr;
}

const KernelDescription& zero_reduction_kernel() { return tables::marlin_zero_reduction; }

device::KernelSource source_of(const KernelDescription& kernel, const std::filesystem::path& folder) {
  const std::string function(kernel.function);
  device::KernelSource source{folder / (function + ".metal"), function, {}, {}, {}};
  for (const auto& [name, text] : kernel.defines) source.defines.emplace(name, text);
  return source;
}

}  // namespace assay::host
