#include "harness/metal/compile/toolchain.hpp"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "harness/metal/compile/compiler_identity.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/own_folder.hpp"
#include "harness/metal/compile/scratch.hpp"
#include "harness/metal/compile/stdlib_files.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "assay-compiler";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

[[noreturn]] void cannot_write(const fs::path& directory, const std::string& why) {
  throw ToolchainError(
      fmt::format("cannot write to the kernel cache {}: {}; set ASSAY_CACHE_DIR to a directory that "
                  "can be written",
                  directory.string(), why));
}

// The headers travel inside the program, so that an installed one needs no data directory. Compared, not just
// looked for: a full disk leaves files cut short.
fs::path unpack_stdlib(const fs::path& cache) {
  std::string all;
  for (const auto& file : stdlib_files())
    all += std::string(file.name) + '\0' + std::string(file.text) + '\0';
  auto directory = cache / ("stdlib-" + content_hash(all));
  for (const auto& file : stdlib_files()) {
    const auto path = directory / file.name;
    if (content_of(path) == file.text && fs::exists(path)) continue;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) cannot_write(cache, failed.message());
    write_atomically(path, file.text, scratch_root(cache));
  }
  return directory;
}

}  // namespace

fs::path cache_directory() {
  if (const auto own = environment("ASSAY_CACHE_DIR"); !own.empty()) return own;
  if (const auto xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) return fs::path(xdg) / "assay";
  if (const auto home = environment("HOME"); !home.empty()) return fs::path(home) / ".cache" / "assay";
  return fs::temp_directory_path() / fmt::format("assay-cache-{}", getuid());
}

std::string find_compiler() {
  if (auto own = environment("ASSAY_COMPILER"); !own.empty()) return own;
  std::error_code absent;
  const fs::path here = fs::read_symlink("/proc/self/exe", absent).parent_path();
  const std::array<fs::path, 4> places = {here / kName, here.parent_path() / "libexec/assay" / kName,
                                          fs::path(ASSAY_INSTALLED_COMPILERS) / kName,
                                          fs::path(ASSAY_BUILT_COMPILERS) / kName};
  for (const auto& place : places)
    if (fs::is_regular_file(place, absent)) return place.string();
  throw ToolchainError(fmt::format("there is no {}, {}, {} or {}; set ASSAY_COMPILER to where it is",
                                   places[0].string(), places[1].string(), places[2].string(),
                                   places[3].string()));
}

Toolchain find_toolchain(const fs::path& cache) {
  Toolchain found;
  found.compiler = find_compiler();
  std::error_code failed;
  found.cache = fs::absolute(cache, failed).lexically_normal();
  if (fs::create_directories(found.cache, failed) && !failed)
    fs::permissions(found.cache, fs::perms::owner_all, failed);
  if (failed) cannot_write(found.cache, failed.message());
  refuse_foreign_hands(found.cache);
  if (access(found.cache.c_str(), W_OK | X_OK) != 0) cannot_write(found.cache, std::strerror(errno));
  (void)scratch_root(found.cache);  // from now on nobody clears what this process reads there
  found.identity = identity_of(found.compiler, found.cache);
  found.stdlib = unpack_stdlib(found.cache);
  return found;
}

const Toolchain& toolchain() {
  static const Toolchain found = find_toolchain(cache_directory());
  return found;
}

std::string_view name_of(Numerics numerics) {
  switch (numerics) {
    case Numerics::strict:
      return "strict";
    case Numerics::contracted:
      return "contracted";
    case Numerics::reassociated:
      return "reassociated";
    case Numerics::approximate:
      return "approximate";
    case Numerics::relaxed:
      return "relaxed";
    case Numerics::flushed:
      return "flushed";
  }
  return "?";
}

std::string content_hash(std::string_view text) {
  const auto hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string content_of(const fs::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string content;
  struct stat found {};
  const bool regular = fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
  std::size_t have = 0;
  for (ssize_t n = regular ? 1 : 0; n != 0;) {  // files of /proc do not know their size
    content.resize(std::max(have + (1 << 16), static_cast<std::size_t>(found.st_size) + 1));
    n = read(fd, content.data() + have, content.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    have += static_cast<std::size_t>(n);
  }
  close(fd);
  content.resize(have);
  return content;
}

void write_atomically(const fs::path& path, std::string_view content, const fs::path& scratch) {
  static std::atomic<unsigned> counter{0};
  const fs::path temporary = (scratch.empty() ? path.parent_path() : scratch) /
                             fmt::format("{}.{}.{}", path.filename().string(), getpid(), counter++);
  std::error_code failed;
  fs::remove(temporary, failed);  // of a process that was killed, and had this one's number
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  int why = fd < 0 ? errno : 0;
  for (std::size_t done = 0; why == 0 && done < content.size();) {
    const ssize_t n = write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno != EINTR) why = errno;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  if (fd >= 0 && close(fd) != 0 && why == 0) why = errno;
  if (why == 0 && rename(temporary.c_str(), path.c_str()) != 0) why = errno;
  if (why == 0) return;
  fs::remove(temporary, failed);
  throw ToolchainError(
      fmt::format("cannot write {}: {}; make room, or set ASSAY_CACHE_DIR to another directory",
                  path.string(), std::strerror(why)));
}

}  // namespace assay::metal
