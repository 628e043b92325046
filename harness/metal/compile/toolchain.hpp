// The compiler of kernels, and where compiled kernels are kept.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/options.hpp"

namespace assay::metal {

/// How a kernel is compiled, and so what its runs can see.
enum class Flavour {
  fast,     ///< optimised
  checked,  ///< every load and store that another thread could see calls a hook of the checker
  watched,  ///< as checked; those of variables of a thread's own do too, where these begin without a value
};

using device::Numerics;

std::string_view name_of(Numerics numerics);

struct Toolchain {
  std::string compiler;          ///< the program assay-compiler
  std::string identity;          ///< version and target, part of every cache key
  std::filesystem::path cache;   ///< $ASSAY_CACHE_DIR, $XDG_CACHE_HOME/assay or ~/.cache/assay
  std::filesystem::path stdlib;  ///< the stand-in headers, unpacked into the cache
};

/// Where assay-compiler is: $ASSAY_COMPILER, beside this program, in `../libexec/assay` of that, where it was
/// installed, or where it was built. Throws ToolchainError that names these places.
std::string find_compiler();

/// Finds the compiler and prepares a cache in that directory. Throws ToolchainError that says what to install
/// or to set.
Toolchain find_toolchain(const std::filesystem::path& cache);

/// $ASSAY_CACHE_DIR, or what stands for it.
std::filesystem::path cache_directory();

/// That of this process, found once, with the cache that the environment names.
const Toolchain& toolchain();

/// 128-bit XXH3 of text, in hexadecimal.
std::string content_hash(std::string_view text);

/// All bytes of a regular file; none if it cannot be read, or is something else.
std::string content_of(const std::filesystem::path& path);

/// Writes a file so that a reader sees all of it or nothing: a temporary name in `scratch` (default: beside
/// it; on the same file system), then a rename. Throws ToolchainError.
void write_atomically(const std::filesystem::path& path, std::string_view content,
                      const std::filesystem::path& scratch = {});

}  // namespace assay::metal
