// Compiled kernels on disk, by the hash of what they were made from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/metal/compile/scratch.hpp"

namespace assay::metal {

/// What was stored under that name, if the file is this user's own (own_folder.hpp) and whole: it ends in a
/// hash of what is before, so that one cut short or overwritten is not used (loading such an object would end
/// the process).
std::optional<std::string> find_cached(const std::filesystem::path& cache, const std::string& name);

/// Takes what a compiler has just made into the cache under that name, and gives it back. Throws
/// ToolchainError.
std::string store_cached(const std::filesystem::path& cache, const std::string& name, std::string made);

/// The folder in which `assay check` keeps its manifests, which replay lines name.
std::filesystem::path kept_manifests(const std::filesystem::path& cache);

/// The folder for texts of kernels that lie in no file of their author's, each in one of its own.
std::filesystem::path kept_texts(const std::filesystem::path& cache);
/// Writes one of them, unless it is there, under a name that follows from what it holds and ends with `file`.
std::filesystem::path keep_text(const std::filesystem::path& cache, const std::string& text,
                                const std::string& file);

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
