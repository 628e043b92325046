// A linear layer over four-bit weights: the top layer of document 004 (docs/documents.md), without its
// Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/device/buffer.hpp"
#include "kernels/host/choose_kernel.hpp"
#include "kernels/host/kernel_library.hpp"
#include "kernels/host/packed_weights.hpp"

namespace assay::host {

struct LinearOptions {
  unsigned cores = kDefaultCores;      ///< of the GPU, for the choice of the kernel
  std::optional<KernelChoice> choice;  ///< instead of the rule's
};

/// Holds weights W [K, N] on a device and multiplies by them. Not for several threads at once.
class MarlinLinear {
 public:
  /// `kernels` and its device must outlive this. Uploads the weights, which may go afterwards. Throws
  /// std::invalid_argument as check(weights) does, and device::DeviceError.
  MarlinLinear(KernelLibrary& kernels, const PackedWeights& weights, LinearOptions options = {});

  /// C [M, N] = A [M, K] x W, halves in host memory. Throws std::invalid_argument before anything is
  /// allocated, LaunchError with the faults of a kernel, and what the device throws; everything is released
  /// then.
  std::vector<std::uint16_t> operator()(std::size_t M, std::span<const std::uint16_t> A);

  /// As above with A and C on the device, for layers in a row. The slices have exactly the size of A and C,
  /// or it is a std::invalid_argument. After an error C is undefined, and the layer as good as before.
  void run(std::size_t M, const device::BufferSlice& A, const device::BufferSlice& C);

  /// What run does with this many rows. Throws std::invalid_argument.
  KernelChoice choice_for(std::size_t M) const;

  std::size_t K() const { return K_; }
  std::size_t N() const { return N_; }

 private:
  /// Where the slices of a striped launch meet. Every byte is zero between launches.
  struct Reduction {
    std::optional<device::Buffer> partials;
    std::optional<device::Buffer> counters;
  };

  GemmProblem problem_of(std::size_t M) const { return {format_, M, N_, K_, group_size_}; }
  /// Large enough for the problem and all zero; the layer has none meanwhile.
  Reduction take_reduction(const GemmProblem& problem, std::uint32_t slices);
  /// Replaces a buffer that is too small, or none; false where it is large enough.
  bool grow(std::optional<device::Buffer>& buffer, std::size_t size_bytes);
  std::vector<device::Argument> bind(const KernelDescription& kernel, const GemmProblem& problem,
                                     std::uint32_t slices, const device::BufferSlice& A,
                                     const device::BufferSlice& C, const Reduction* reduction) const;

  KernelLibrary& kernels_;
  WeightFormat format_;
  std::size_t K_, N_, group_size_;
  LinearOptions options_;
  device::Buffer words_;
  device::Buffer scales_;
  std::optional<device::Buffer> zeros_;
  Reduction reduction_;  // kept from launch to launch
};

/// One product: uploads the weights, multiplies, releases. Parameters and errors as MarlinLinear's.
std::vector<std::uint16_t> quantized_linear(KernelLibrary& kernels, const PackedWeights& weights,
                                            std::size_t M, std::span<const std::uint16_t> A,
                                            LinearOptions options = {});

}  // namespace assay::host
