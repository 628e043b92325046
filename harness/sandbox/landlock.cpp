#include "harness/sandbox/landlock.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace assay::sandbox {
namespace {

// The interface has grown since Debian's headers were made; older kernels take a shorter structure.
struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};

constexpr std::uint64_t bits(unsigned count) { return (std::uint64_t{1} << count) - 1; }

std::uint64_t file_rights(int version) {
  return version >= 5 ? bits(16) : version >= 3 ? bits(15) : version == 2 ? bits(14) : bits(13);
}

constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kDevice = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
// The rights that mean something for what is no directory: to execute, write, read, truncate; ioctl.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE | std::uint64_t{1} << 14 |
                                   std::uint64_t{1} << 15;

void add(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return;
  struct stat status {};
  if (fstat(fd, &status) == 0) {
    landlock_path_beneath_attr beneath{};
    beneath.allowed_access = S_ISDIR(status.st_mode) ? rights : rights & kOfFiles;
    beneath.parent_fd = fd;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  }
  close(fd);
}

}  // namespace

int landlock_version() {
  static const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

FileRules::FileRules(const FileAccess& access) {
  const int version = landlock_version();
  if (version == 0) return;
  const RulesetAttributes handled{file_rights(version), bits(2), bits(2)};
  const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  fd_ = static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, size, 0));
  if (fd_ < 0) return;
  for (const auto& path : access.read) add(fd_, path, kRead & handled.files);
  for (const auto& path : access.devices) add(fd_, path, kDevice & handled.files);
  for (const auto& path : access.write) add(fd_, path, handled.files);
}

FileRules::~FileRules() {
  if (fd_ >= 0) close(fd_);
}

bool FileRules::restrict() const {
  if (landlock_version() == 0) return true;
  return fd_ >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, fd_, 0) == 0;
}

}  // namespace assay::sandbox
