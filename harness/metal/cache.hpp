// Compiled kernels on disk, by the hash of what they were made from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/metal/scratch.hpp"

namespace assay::metal {

/// The file of that name, if it is there and whole: it ends in a hash of what is before, so that one cut
/// short or overwritten is not used (loading such an object would end the process).
std::optional<std::filesystem::path> find_cached(const std::filesystem::path& cache, const std::string& name);

/// Takes a file that a compiler has just made into the cache under that name. Throws ToolchainError.
std::filesystem::path store_cached(const std::filesystem::path& cache, const std::string& name,
                                   const std::filesystem::path& made);

/// What lies in a cache.
struct CacheContents {
  struct Kind {
    std::string name;  ///< "compiled kernels"
    std::size_t files = 0;
    std::uintmax_t bytes = 0;
  };
  std::vector<Kind> kinds;
};
CacheContents contents_of(const std::filesystem::path& cache);

/// Files and bytes of each kind that there is, a line each.
std::string to_text(const CacheContents& contents);

/// Removes all that nobody is using; what is removed will be made again. Throws ToolchainError.
void clear_cache(const std::filesystem::path& cache);

}  // namespace assay::metal
