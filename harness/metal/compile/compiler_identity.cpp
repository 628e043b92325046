#include "harness/metal/compile/compiler_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <string_view>

#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/process.hpp"
#include "harness/metal/compile/toolchain.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

// What tells a compiler's file from any other; nothing of a file that may start another program.
std::optional<std::string> file_identity(const std::string& file) {
  char magic[4] = {};
  struct stat found {};
  if (!std::ifstream(file).read(magic, sizeof magic) || std::string_view(magic, 4) != "\177ELF" ||
      stat(file.c_str(), &found) != 0)
    return std::nullopt;
  return fmt::format("{} {} {} {} {}.{}\n", file, found.st_dev, found.st_ino, found.st_size,
                     found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

// What Linux says of the first processor, but for what changes while it runs; nothing where it says nothing.
std::optional<std::string> processor() {
  std::ifstream in("/proc/cpuinfo");
  std::string all;
  for (std::string line; std::getline(in, line) && !line.empty();)
    if (line.find("MHz") == line.npos && !line.starts_with("processor")) all += line + '\n';
  if (all.empty()) return std::nullopt;
  return all;
}

std::string ask(const std::string& compiler) {
  const auto said = run_process({compiler, "identity"});
  if (said.exit_code == 0) return said.out + content_hash(content_of(compiler));
  throw ToolchainError(fmt::format("{} does not work: {}; install it again, or set ASSAY_COMPILER to one",
                                   compiler, complaint(said).substr(0, complaint(said).find('\n'))));
}

}  // namespace

std::string identity_of(const std::string& compiler, const fs::path& cache) {
  const auto here = processor(), file = file_identity(compiler);
  if (!here || !file) return ask(compiler);
  const std::string name = "compiler-" + content_hash(*here + *file);
  if (auto kept = find_cached(cache, name)) return *kept;
  return store_cached(cache, name, ask(compiler));
}

}  // namespace assay::metal
