#include "harness/metal/compile/own_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/metal/compile/errors.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

// In a namespace of users without root, as of some containers, the machine's own folders belong to whomever
// `/` does.
uid_t owner_of_machine() {
  struct stat root {};
  return stat("/", &root) == 0 ? root.st_uid : 0;
}

// The folders from / down to `path`, as they are spelled.
std::string fault_on_the_way(const fs::path& path) {
  const uid_t me = geteuid(), machine = owner_of_machine();
  fs::path at;
  bool shared = false;  // everybody may put files into the folder above
  for (const auto& part : path) {
    at /= part;
    if (part.empty()) continue;
    struct stat found {};
    if (lstat(at.c_str(), &found) != 0) return fmt::format("{}: {}", at.string(), std::strerror(errno));
    const bool trusted = found.st_uid == me || found.st_uid == 0 || (found.st_uid == machine && !shared);
    if (!trusted) return fmt::format("{} belongs to another user ({})", at.string(), found.st_uid);
    shared = false;
    if (S_ISLNK(found.st_mode)) {
      if (at == path) return fmt::format("{} is a link, which is not followed", at.string());
      continue;  // where it leads is looked at too
    }
    if (!S_ISDIR(found.st_mode)) return fmt::format("{} is not a directory", at.string());
    if ((found.st_mode & kOthersWrite) == 0) continue;
    shared = (found.st_mode & S_ISVTX) != 0 && at != path;
    if (!shared)
      return fmt::format("other users may write to {} (mode {:o})", at.string(), found.st_mode & 07777);
  }
  return "";
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::string foreign_hand(const fs::path& folder) {
  std::error_code failed;
  fs::path path = fs::absolute(folder, failed).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "a/b/"
  std::string fault = fault_on_the_way(path);
  const fs::path real = fs::canonical(path, failed);
  if (fault.empty() && !failed && real != path) fault = fault_on_the_way(real);
  return fault;
}

void refuse_foreign_hands(const fs::path& cache) {
  const std::string fault = foreign_hand(cache);
  if (fault.empty()) return;
  throw ToolchainError(
      fmt::format("the kernel cache {} could hold files of others: {}; set ASSAY_CACHE_DIR to a folder of "
                  "your own, below folders that only you and root can write to",
                  cache.string(), fault));
}

std::optional<std::string> own_file(const fs::path& file) {
  const Descriptor from(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat found {};
  if (from.get() < 0 || fstat(from.get(), &found) != 0) return std::nullopt;
  if (!S_ISREG(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & kOthersWrite) != 0)
    return std::nullopt;
  std::string content(static_cast<std::size_t>(found.st_size), '\0');
  std::size_t have = 0;
  while (have < content.size()) {
    const ssize_t n = read(from.get(), content.data() + have, content.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  content.resize(have);
  return content;
}

}  // namespace assay::metal
