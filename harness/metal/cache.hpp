// Compiled kernels on disk, by the hash of what they were made from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace assay::metal {

/// The file of that name, if it is there and whole: it ends in a hash of what is before, so that one cut
/// short or overwritten is not used (loading such an object would end the process).
std::optional<std::filesystem::path> find_cached(const std::filesystem::path& cache, const std::string& name);

/// Takes a file that a compiler has just made into the cache under that name. Throws ToolchainError.
std::filesystem::path store_cached(const std::filesystem::path& cache, const std::string& name,
                                   const std::filesystem::path& made);

/// A directory of its own in the cache for one compilation, gone when this is.
class ScratchDirectory {
 public:
  /// Throws ToolchainError.
  explicit ScratchDirectory(const std::filesystem::path& cache);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace assay::metal
