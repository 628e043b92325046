// A layer of experts with SwiGLU over trellis weights (document 002, section 7: docs/documents.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/device/buffer.hpp"
#include "kernels/host/kernel_library.hpp"
#include "reference/trellis.hpp"

namespace assay::host {

/// `gemm_trellis_moe`, tile 16x64, as the manifest describes it.
const KernelDescription& trellis_experts_kernel();

/// The weights of all experts, one matrix each. All have the same bits, group size and number of levels.
struct TrellisExpertWeights {
  std::span<const reference::TrellisWeights> gate;  ///< [K, intermediate] each
  std::span<const reference::TrellisWeights> up;    ///< [K, intermediate] each
  std::span<const reference::TrellisWeights> down;  ///< [intermediate, N] each
};

/// Which experts each token goes to, and what each counts.
struct ExpertRouting {
  std::span<const std::uint32_t> expert_ids;  ///< [M, top_k]; an id past the last expert counts for nothing
  std::span<const float> expert_probs;        ///< [M, top_k], finite where there is an expert
};

/// Holds the weights of experts on a device:
///
///   out[t] = sum over slots s of prob[t,s] * (silu(x[t] gate_e) * (x[t] up_e)) down_e,   e =
///   expert_ids[t,s].
///
/// Not for several threads at once.
class TrellisExperts {
 public:
  /// `kernels` and its device must outlive this. Uploads the weights, which may go afterwards. Throws
  /// std::invalid_argument, which names the expert and the field, before anything is allocated: as
  /// reference::check_trellis does, and where experts do not match; device::DeviceError.
  TrellisExperts(KernelLibrary& kernels, const TrellisExpertWeights& weights);

  /// What reference::trellis_warnings said of the weights, "expert 3: gate: ...".
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// out [M, N] for x [M, K], halves in host memory. Throws std::invalid_argument before anything is
  /// allocated, also of a probability of an expert that is not finite; LaunchError with the faults of the
  /// kernel, and what the device throws; everything is released then.
  std::vector<std::uint16_t> operator()(std::size_t M, std::span<const std::uint16_t> x,
                                        const ExpertRouting& routing);

  std::size_t experts() const { return experts_; }
  std::size_t K() const { return K_; }
  std::size_t intermediate() const { return intermediate_; }
  std::size_t N() const { return N_; }

 private:
  /// What stands beside one another on the device, one expert behind the other.
  struct Stacked {
    device::Buffer packed_indices, scales, grid, su, sv;
  };
  static Stacked stacked(device::Device& device, std::span<const reference::TrellisWeights> experts);
  static void bind(const Stacked& weights, std::vector<device::Argument>& arguments);
  std::size_t check(std::size_t M, std::span<const std::uint16_t> x, const ExpertRouting& routing) const;

  KernelLibrary& kernels_;
  std::size_t experts_, K_, intermediate_, N_, group_size_, n_levels_;
  unsigned bits_;
  std::vector<std::string> warnings_;
  Stacked gate_, up_, down_;
};

}  // namespace assay::host
