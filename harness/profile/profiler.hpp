// Counting what a kernel does, to hold it against what its author claims.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/problem.hpp"
#include "harness/process/child.hpp"
#include "harness/verify/claims.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::profile {

/// What was counted of a kernel, and of which problem.
struct Profile {
  Dims dims;        ///< of the larger of the two problems, where there are two
  Figures figures;  ///< all that the kernel has; those per K tile only where it has a tile and a K
};

/// A kernel on the counting GPU, which runs it in a process of its own.
class Profiler {
 public:
  /// Compiles the kernel. The entry must outlive it.
  explicit Profiler(const KernelEntry& entry);
  ~Profiler();
  /// Counts what the kernel does. The problem is one row of two tiles of the output and eight K tiles, with
  /// eight interleaved streams, eight rows of a batch and one tile of hidden columns where the operation has
  /// such, or as near to that as the kernel takes; what is counted per K tile is the difference to four K
  /// tiles, divided by the K tiles and the tiles of the output, so that nothing before or after the K loop
  /// enters; what is counted per stream and per row of a batch is the difference to four of them. `wanted`
  /// overrides dimensions. Throws what running throws, and std::runtime_error where the launch had faults.
  Profile count(const Dims& wanted);

 private:
  const KernelEntry& entry_;
  std::unique_ptr<device::Device> device_;
  device::KernelId kernel_{};
};

/// As processes send it to each other. Throws std::exception for what is none.
nlohmann::json to_json(const Profile& counted);
Profile profile_from_json(const nlohmann::json& message);

/// One kernel to profile, and what came of it.
struct ProfileTask {
  const KernelEntry* entry = nullptr;
  Dims wanted;
  Profile result;
  std::string failure;  ///< one line; empty where there is a result
};

/// A task that has ended, with or without a result, the seconds that it took, and how many have.
struct ProfileStep {
  const ProfileTask& task;
  double seconds = 0;
  std::size_t done = 0, of = 0;
};
using ProfileListener = std::function<void(const ProfileStep&)>;

/// Profiles all of them, each in a process of its own, `jobs` at a time.
void profile_all(std::vector<ProfileTask>& tasks, unsigned jobs, const ProfileListener& ended = {},
                 double timeout_s = 60);

/// Profiles these kernels so, on the problems that it chooses.
std::vector<ProfileTask> profile_all(const std::vector<const KernelEntry*>& entries, unsigned jobs,
                                     const ProfileListener& ended = {});

/// "M=64 N=128 K=256 group_size=32", "threadgroup_bytes is claimed to be ...": what `assay verify` prints of
/// a kernel whose claims differ; empty where all hold.
std::string claims_text(const KernelEntry& entry, const Profile& counted);

}  // namespace assay::profile
