#include "harness/sandbox/filter.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace assay::sandbox {
namespace {

// Stand in the filter for what only the confined process knows: its number and its descriptor. load() puts
// those in their place.
constexpr std::uint32_t kOwnProcess = 0x7a55a701, kReport = 0x7a55a702;

constexpr std::array kRunnersMay = {"brk",
                                    "munmap",
                                    "mremap",
                                    "mincore",
                                    "madvise",
                                    "futex",
                                    "exit",
                                    "exit_group",
                                    "rt_sigreturn",
                                    "rt_sigaction",
                                    "rt_sigprocmask",
                                    "sigaltstack",
                                    "sched_yield",
                                    "clock_gettime",
                                    "clock_getres",
                                    "gettimeofday",
                                    "time",
                                    "setitimer",
                                    "getrusage",
                                    "getpid",
                                    "gettid",
                                    "getrandom",
                                    "rseq",
                                    "membarrier",
                                    "set_robust_list",
                                    "sched_getaffinity",
                                    "restart_syscall",
                                    "sysinfo"};  // the C library sorts with as much memory as there is

constexpr std::array kCompilersMayNot = {"socket",
                                         "socketpair",
                                         "connect",
                                         "ptrace",
                                         "process_vm_readv",
                                         "process_vm_writev",
                                         "mount",
                                         "umount2",
                                         "pivot_root",
                                         "chroot",
                                         "unshare",
                                         "setns",
                                         "bpf",
                                         "perf_event_open",
                                         "keyctl",
                                         "add_key",
                                         "request_key",
                                         "init_module",
                                         "finit_module",
                                         "delete_module",
                                         "kexec_load",
                                         "reboot",
                                         "swapon",
                                         "swapoff",
                                         "userfaultfd",
                                         "io_uring_setup",
                                         "open_by_handle_at",
                                         "quotactl",
                                         "settimeofday",
                                         "clock_settime",
                                         "setxattr",
                                         "mknod",
                                         "mknodat",
                                         "personality",
                                         "pidfd_getfd"};

class Builder {
 public:
  explicit Builder(std::uint32_t otherwise)
      : context_(seccomp_init(otherwise), [](void* context) { seccomp_release(context); }) {
    // Else older kernels make every branch of a confined process slower.
    if (context_) seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_SSB, 1);
  }

  // Calls that this machine does not have are left out.
  template <class... Comparisons>
  void add(std::uint32_t action, const char* call, Comparisons... comparisons) {
    const int number = seccomp_syscall_resolve_name(call);
    if (!context_ || number == __NR_SCMP_ERROR) return;
    ok_ &= seccomp_rule_add(context_.get(), action, number, sizeof...(comparisons), comparisons...) == 0;
  }

  std::vector<sock_filter> program() const {
    std::vector<sock_filter> program(BPF_MAXINSNS);
    std::size_t bytes = 0;
    // A pipe has none of the limits that files have, and room: a program that it cuts is none that Linux
    // takes.
    int ends[2];
    if (!context_ || !ok_ || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {};
    const bool exported = seccomp_export_bpf(context_.get(), ends[1]) == 0;
    close(ends[1]);
    auto* const to = reinterpret_cast<std::byte*>(program.data());
    for (ssize_t got = 1; exported && got > 0; bytes += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
      got = read(ends[0], to + bytes, program.size() * sizeof(sock_filter) - bytes);
    close(ends[0]);
    program.resize(bytes % sizeof(sock_filter) == 0 ? bytes / sizeof(sock_filter) : 0);
    return program;
  }

 private:
  std::unique_ptr<void, void (*)(void*)> context_;
  bool ok_ = true;
};

std::vector<sock_filter> runners() {
  Builder filter(SCMP_ACT_TRAP);
  for (const char* call : kRunnersMay) filter.add(SCMP_ACT_ALLOW, call);
  filter.add(SCMP_ACT_ALLOW, "mmap", SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
             SCMP_A3_64(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS));
  filter.add(SCMP_ACT_ALLOW, "mprotect", SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  filter.add(SCMP_ACT_ALLOW, "clone",
             SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM));
  filter.add(SCMP_ACT_ERRNO(ENOSYS),
             "clone3");  // whose flags a filter cannot see: libraries fall back on clone
  filter.add(SCMP_ACT_ALLOW, "tgkill", SCMP_A0_32(SCMP_CMP_EQ, kOwnProcess));
  filter.add(SCMP_ACT_ALLOW, "write", SCMP_A0_32(SCMP_CMP_EQ, kReport));
  // What the C library says of a heap that was overwritten, before it ends the process.
  filter.add(SCMP_ACT_ERRNO(EBADF), "writev", SCMP_A0_32(SCMP_CMP_EQ, STDERR_FILENO));
  return filter.program();
}

std::vector<sock_filter> compilers() {
  Builder filter(SCMP_ACT_ALLOW);
  for (const char* call : kCompilersMayNot) filter.add(SCMP_ACT_ERRNO(EPERM), call);
  return filter.program();
}

}  // namespace

SystemCallFilter::SystemCallFilter(bool of_runners) {
  const std::uint32_t trap = SECCOMP_RET_TRAP;
  if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &trap) != 0) return;
  program_ = of_runners ? runners() : compilers();
}

const SystemCallFilter& SystemCallFilter::of_runners() {
  static const SystemCallFilter filter(true);
  return filter;
}

const SystemCallFilter& SystemCallFilter::of_compilers() {
  static const SystemCallFilter filter(false);
  return filter;
}

bool SystemCallFilter::load(int fd) const {
  constexpr std::size_t kMost = 512;
  std::array<sock_filter, kMost> own;  // no allocation: this may be the child of a process with threads
  if (program_.empty() || program_.size() > kMost) return false;
  for (std::size_t i = 0; i < program_.size(); ++i) {
    own[i] = program_[i];
    auto& value = own[i].k;
    if (value == kOwnProcess) value = static_cast<std::uint32_t>(getpid());
    if (value == kReport) value = static_cast<std::uint32_t>(fd);
  }
  const sock_fprog program{static_cast<unsigned short>(program_.size()), own.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}

std::string name_of_system_call(int number) {
  const std::unique_ptr<char, void (*)(void*)> name(
      seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number), [](void* text) { std::free(text); });
  return name ? std::string(name.get()) : std::to_string(number);
}

}  // namespace assay::sandbox
