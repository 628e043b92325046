// Scratch files in the kernel cache that outlive nobody who uses them.
#pragma once

#include <filesystem>
#include <functional>

namespace assay::metal {

/// The directory of this process, and of those that it forks, for scratch in a cache: CACHE/run-PID. Made
/// when first asked for; gone when the process ends by itself, or by the next process that asks in this
/// cache. Throws ToolchainError.
std::filesystem::path scratch_root(const std::filesystem::path& cache);

/// For a process that forks the one that works, and outlives it: the root is named after this process, and
/// removed by it once all others have ended.
void own_scratch_root();
void remove_scratch_root(const std::filesystem::path& cache);

/// Does a process that is alive work in this scratch root?
bool scratch_in_use(const std::filesystem::path& root);

/// Runs `work` while nobody begins to use the cache; `used`: somebody does already, this process among them.
/// Throws ToolchainError.
void at_rest(const std::filesystem::path& cache, const std::function<void(bool used)>& work);

/// A directory of its own in the cache for one compilation, gone when this is.
class ScratchDirectory {
 public:
  /// Throws ToolchainError.
  explicit ScratchDirectory(const std::filesystem::path& cache);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace assay::metal
