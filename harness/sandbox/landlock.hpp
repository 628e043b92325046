// Landlock, the kernel's own way for a process to give up its rights to files (landlock(7)).
#pragma once

#include <filesystem>
#include <vector>

namespace assay::sandbox {

/// What a confined program may still do with files. Everything below a directory is meant; what does not
/// exist is left out.
struct FileAccess {
  std::vector<std::filesystem::path> read;     ///< read and execute
  std::vector<std::filesystem::path> devices;  ///< read and write, such as /dev/null
  std::vector<std::filesystem::path> write;    ///< everything
};

/// The version of Landlock's interface that this kernel has; 0: none.
int landlock_version();

/// Rights that a process has not given up yet, but will: made before a fork, given up after it. Without
/// rules, no file can be opened, no TCP port used, and no process outside be signalled.
class FileRules {
 public:
  /// Where the kernel has no Landlock, restrict() does nothing.
  explicit FileRules(const FileAccess& access = {});
  ~FileRules();
  FileRules(const FileRules&) = delete;
  FileRules& operator=(const FileRules&) = delete;

  /// For good, and for all programs that this process starts. Safe between fork and exec. False if it fails.
  bool restrict() const;

  /// The descriptor that restrict() needs; -1: none.
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace assay::sandbox
