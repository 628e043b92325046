#include "harness/metal/compile/scratch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/own_folder.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "run-";
/// Held, shared, by all who use a root; forked processes inherit it, and it falls with the last of them.
constexpr const char* kLock = "lock";
/// Held for as long as it takes to make a root or to look for those that nobody uses.
constexpr const char* kGate = "scratch.lock";

[[noreturn]] void cannot_write(const fs::path& cache, int error) {
  throw ToolchainError(
      fmt::format("cannot write to the kernel cache {}: {}; set ASSAY_CACHE_DIR to a directory that "
                  "can be written",
                  cache.string(), std::strerror(error)));
}

class Lock {
 public:
  Lock(const fs::path& file, int flags, int how)
      : fd_(open(file.c_str(), flags | O_CLOEXEC, 0666)), error_(fd_ < 0 ? errno : 0) {
    while (error_ == 0 && flock(fd_, how) != 0) {
      if (errno != EINTR) error_ = errno;
    }
  }
  ~Lock() {
    if (fd_ >= 0) close(fd_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool held() const { return error_ == 0; }
  int error() const { return error_; }
  void keep() { fd_ = -1; }  // until this process and those that it forks have ended

 private:
  int fd_, error_;
};

// Roots of processes that were killed.
void remove_abandoned(const fs::path& cache) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(cache, ignored)) {
    if (entry.path().filename().string().starts_with(kPrefix) && !scratch_in_use(entry.path()))
      fs::remove_all(entry.path(), ignored);
  }
}

struct Roots {
  std::mutex lock;
  std::map<fs::path, fs::path> of_cache;
  pid_t owner = getpid();

  ~Roots() {
    std::error_code ignored;
    if (getpid() != owner) return;
    for (const auto& [cache, root] : of_cache) fs::remove_all(root, ignored);
  }
  fs::path in(const fs::path& cache) const { return cache / fmt::format("{}{}", kPrefix, owner); }
};

Roots& roots() {
  static Roots all;
  return all;
}

}  // namespace

void own_scratch_root() { (void)roots(); }

void remove_scratch_root(const fs::path& cache) {
  std::error_code ignored;
  if (getpid() == roots().owner) fs::remove_all(roots().in(cache), ignored);
}

bool scratch_in_use(const fs::path& root) {
  const Lock lock(root / kLock, O_RDWR, LOCK_EX | LOCK_NB);
  return !lock.held() && lock.error() == EWOULDBLOCK;
}

fs::path scratch_root(const fs::path& cache) {
  Roots& all = roots();
  const std::lock_guard guard(all.lock);
  const auto known = all.of_cache.find(cache);
  std::error_code absent;
  if (known != all.of_cache.end() && fs::is_directory(known->second, absent)) return known->second;
  const Lock gate(cache / kGate, O_RDWR | O_CREAT, LOCK_EX);
  if (!gate.held()) cannot_write(cache, gate.error());
  remove_abandoned(cache);
  const fs::path root = all.in(cache);
  std::error_code failed;
  fs::create_directory(root, failed);
  if (failed) cannot_write(cache, failed.value());
  Lock use(root / kLock, O_RDWR | O_CREAT, LOCK_SH);
  if (!use.held()) cannot_write(cache, use.error());
  use.keep();
  return all.of_cache[cache] = root;
}

void at_rest(const fs::path& cache, const std::function<void(bool used)>& work) {
  std::error_code failed;
  if (!fs::is_directory(cache, failed)) return;
  refuse_foreign_hands(cache);
  const Lock gate(cache / kGate, O_RDWR | O_CREAT, LOCK_EX);
  if (!gate.held()) cannot_write(cache, gate.error());
  bool used = false;
  for (const auto& entry : fs::directory_iterator(cache, failed))
    used |= entry.path().filename().string().starts_with(kPrefix) && scratch_in_use(entry.path());
  work(used);
}

ScratchDirectory::ScratchDirectory(const fs::path& cache) {
  const bool keep = std::getenv("ASSAY_KEEP") != nullptr;  // to look at what was compiled
  std::string pattern = (keep ? cache / "kept-XXXXXX" : scratch_root(cache) / "XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) cannot_write(cache, errno);
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  if (std::getenv("ASSAY_KEEP") != nullptr) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace assay::metal
