// A linear layer over trellis weights (document 002, section 2.1: docs/documents.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/device/buffer.hpp"
#include "kernels/host/kernel_library.hpp"
#include "kernels/host/trellis_kernels.hpp"
#include "reference/trellis.hpp"
#include "reference/trellis_checks.hpp"

namespace assay::host {

/// Holds weights W [K, N] on a device and multiplies by them. Not for several threads at once.
class TrellisLinear {
 public:
  /// `kernels` and its device must outlive this. Uploads the weights, which may go afterwards. Throws
  /// std::invalid_argument as reference::check_trellis does, before anything is allocated, and
  /// device::DeviceError.
  TrellisLinear(KernelLibrary& kernels, const reference::TrellisWeights& weights);

  /// As above, of weights whose packed_indices have the shape `stored` in their file: throws as
  /// reference::check_stored_shape does where that is not what K, N and bits ask for.
  TrellisLinear(KernelLibrary& kernels, const reference::TrellisWeights& weights,
                const reference::TrellisShape& stored);

  /// What reference::trellis_warnings said of the weights.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// C [M, N] = A [M, K] x W, halves in host memory. Throws std::invalid_argument before anything is
  /// allocated, LaunchError with the faults of a kernel, and what the device throws; everything is released
  /// then.
  std::vector<std::uint16_t> operator()(std::size_t M, std::span<const std::uint16_t> A);

  /// As above with A and C on the device, for layers in a row. The slices have exactly the size of A and C,
  /// or it is a std::invalid_argument. After an error C is undefined, and the layer as good as before.
  void run(std::size_t M, const device::BufferSlice& A, const device::BufferSlice& C);

  /// The kernel that run launches for this many rows. Throws std::invalid_argument.
  const KernelDescription& kernel_for(std::size_t M) const;

  std::size_t K() const { return K_; }
  std::size_t N() const { return N_; }

 private:
  device::Argument bind(KernelArgument argument, std::size_t M, const device::BufferSlice& A,
                        const device::BufferSlice& C) const;

  KernelLibrary& kernels_;
  std::size_t K_, N_, group_size_, n_levels_;
  unsigned bits_;
  std::vector<std::string> warnings_;
  device::Buffer packed_indices_, scales_, grid_, su_, sv_;
};

}  // namespace assay::host
