// Filters of system calls, by libseccomp.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace assay::sandbox {

/// A filter as the kernel takes it: built once, loaded by each process that it confines.
class SystemCallFilter {
 public:
  /// For what runs a kernel: memory that is not executable, threads of its own, futexes, clocks and timers,
  /// signals to itself, writes to one descriptor, and its end. Any other call raises SIGSYS.
  static const SystemCallFilter& of_runners();

  /// For compilers: they may not trace, connect, mount, load or change anything of the system.
  static const SystemCallFilter& of_compilers();

  /// False where the kernel has no such filters, or libseccomp made none.
  bool available() const { return !program_.empty(); }

  /// Confines the calling thread and what it starts, for good; `fd` may be written to. Safe between fork and
  /// exec. False if the kernel refuses.
  bool load(int fd = -1) const;

 private:
  explicit SystemCallFilter(bool runners);
  std::vector<sock_filter> program_;
};

/// The name of a system call of this machine, or its number.
std::string name_of_system_call(int number);

}  // namespace assay::sandbox
