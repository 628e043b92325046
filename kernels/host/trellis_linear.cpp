#include "kernels/host/trellis_linear.hpp"

#include <stdexcept>

#include "kernels/host/arguments.hpp"
#include "reference/shape.hpp"

namespace assay::host {
namespace {

const reference::TrellisWeights& checked(const reference::TrellisWeights& weights) {
  reference::check_trellis(weights);
  return weights;
}

const reference::TrellisWeights& checked(const reference::TrellisWeights& weights,
                                         const reference::TrellisShape& stored) {
  reference::check_stored_shape(weights, stored);
  return weights;
}

}  // namespace

TrellisLinear::TrellisLinear(KernelLibrary& kernels, const reference::TrellisWeights& weights)
    : kernels_(kernels),
      K_(checked(weights).K),
      N_(weights.N),
      group_size_(weights.group_size),
      n_levels_(weights.grid.size()),
      bits_(weights.bits),
      warnings_(reference::trellis_warnings(weights)),
      packed_indices_(uploaded(kernels.device(), weights.packed_indices)),
      scales_(uploaded(kernels.device(), weights.scales)),
      grid_(uploaded(kernels.device(), weights.grid)),
      su_(uploaded(kernels.device(), weights.su)),
      sv_(uploaded(kernels.device(), weights.sv)) {}

TrellisLinear::TrellisLinear(KernelLibrary& kernels, const reference::TrellisWeights& weights,
                             const reference::TrellisShape& stored)
    : TrellisLinear(kernels, checked(weights, stored)) {}

const KernelDescription& TrellisLinear::kernel_for(std::size_t M) const {
  return choose_trellis_kernel({M, N_, K_, group_size_, bits_}, kernels_.device().limits());
}

std::vector<std::uint16_t> TrellisLinear::operator()(std::size_t M, std::span<const std::uint16_t> A) {
  kernel_for(M);
  reference::check_elements("A", A.size(), M, K_, "M x K");
  device::Device& device = kernels_.device();
  const device::Buffer a = uploaded(device, A);
  const device::Buffer c(device, sizeof(std::uint16_t) * M * N_);
  run(M, a.whole(), c.whole());
  std::vector<std::uint16_t> C(M * N_);
  device.download(c.id(), 0, std::as_writable_bytes(std::span(C)));
  return C;
}

void TrellisLinear::run(std::size_t M, const device::BufferSlice& A, const device::BufferSlice& C) {
  const KernelDescription& kernel = kernel_for(M);
  check_slice("A", A, M, K_);
  check_slice("C", C, M, N_);
  std::vector<device::Argument> arguments;
  for (const KernelArgument argument : kernel.arguments) arguments.push_back(bind(argument, M, A, C));
  kernels_.launch(kernel, std::move(arguments),
                  {static_cast<std::uint32_t>(reference::ceil_div(N_, kernel.tile_n)),
                   static_cast<std::uint32_t>(reference::ceil_div(M, kernel.tile_m)), 1});
}

device::Argument TrellisLinear::bind(KernelArgument argument, std::size_t M, const device::BufferSlice& A,
                                     const device::BufferSlice& C) const {
  switch (argument) {
    case KernelArgument::A:
      return A;
    case KernelArgument::packed_indices:
      return packed_indices_.whole();
    case KernelArgument::scales:
      return scales_.whole();
    case KernelArgument::grid:
      return grid_.whole();
    case KernelArgument::su:
      return su_.whole();
    case KernelArgument::sv:
      return sv_.whole();
    case KernelArgument::C:
      return C;
    case KernelArgument::M:
      return uint_bytes(M);
    case KernelArgument::N:
      return uint_bytes(N_);
    case KernelArgument::K:
      return uint_bytes(K_);
    case KernelArgument::group_size:
      return uint_bytes(group_size_);
    case KernelArgument::bits:
      return uint_bytes(bits_);
    case KernelArgument::n_levels:
      return uint_bytes(n_levels_);
    case KernelArgument::B:
    case KernelArgument::zeros:
    case KernelArgument::partials:
    case KernelArgument::counters:
    case KernelArgument::parallel:
      break;  // of four-bit weights
  }
  throw std::logic_error("no such argument of a trellis kernel");
}

}  // namespace assay::host
