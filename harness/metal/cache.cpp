#include "harness/metal/cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "harness/metal/errors.hpp"
#include "harness/metal/toolchain.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

// What follows an object or a precompiled header in its file; loaders and compilers pay no heed to it.
std::string seal_of(std::string_view object) { return "assay:" + content_hash(object); }
constexpr std::size_t kSealBytes = 6 + 32;

}  // namespace

std::optional<fs::path> find_cached(const fs::path& cache, const std::string& name) {
  const fs::path path = cache / name;
  const std::string content = content_of(path);
  if (content.size() < kSealBytes) return std::nullopt;
  const auto object = std::string_view(content).substr(0, content.size() - kSealBytes);
  if (content.substr(object.size()) != seal_of(object)) return std::nullopt;
  return path;
}

fs::path store_cached(const fs::path& cache, const std::string& name, const fs::path& made) {
  const std::string object = content_of(made);
  const fs::path path = cache / name;
  write_atomically(path, object + seal_of(object));
  return path;
}

ScratchDirectory::ScratchDirectory(const fs::path& cache) {
  std::string pattern = (cache / "tmp-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw ToolchainError(
        fmt::format("cannot write to the kernel cache {}: {}; set ASSAY_CACHE_DIR to a directory that "
                    "can be written",
                    cache.string(), std::strerror(errno)));
  }
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  if (std::getenv("ASSAY_KEEP") != nullptr) return;  // to look at what was compiled
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace assay::metal
