// Some of the threadgroups of a launch that is too large to be run whole, and what they stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/problem.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// Elements of one output, by their index in memory, that the launched threadgroups are to store.
struct Stored {
  std::string tensor;
  std::vector<std::size_t> elements;  ///< ascending
};

/// Consecutive elements that were stored and are none of those.
struct Stray {
  std::string tensor;
  std::size_t element = 0;  ///< the first
  std::vector<std::byte> bytes;
};

struct SampledResult {
  device::LaunchReport report;
  /// What stands at the elements asked for, as tensors of one dimension. What nobody wrote is as fresh
  /// memory.
  std::vector<Tensor> stored;
  /// Where elements elsewhere were written: the first of each run of consecutive ones, up to `kStrays` of
  /// each output, ascending. A 0 that was written there is not seen.
  std::vector<Stray> strays;
  std::vector<std::string> changed_inputs;
};

inline constexpr std::size_t kStrays = std::size_t{1} << 20;

/// Launches the sample of a problem once. Throws ManifestError, std::invalid_argument or device::DeviceError;
/// whatever happens, no buffer is left behind.
SampledResult run_sampled(device::Device& device, device::KernelId kernel, const KernelEntry& entry,
                          const Problem& problem, std::span<const Stored> expected);

}  // namespace assay
