#include "harness/sandbox/confinement.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <stdexcept>

#include "harness/sandbox/descriptors.hpp"
#include "harness/sandbox/filter.hpp"
#include "harness/sandbox/landlock.hpp"

namespace assay::sandbox {
namespace {

// Sanitizers open files, write to standard error, and take more address space than any machine has memory:
// under them, Assay itself is tested.
#ifdef ASSAY_UNDER_SANITIZER
constexpr bool kFiltered = false;
#else
constexpr bool kFiltered = true;
#endif

// Without a number of its own, the malloc of glibc reads from a file how many processors there are, once
// threads are many.
constexpr int kMallocArenas = 64;

bool g_confined = false;

std::map<void*, std::size_t>& withheld() {
  static auto* all = new std::map<void*, std::size_t>;  // references end behind static destructors
  return *all;
}

void limit(__rlimit_resource resource, std::uint64_t most) {
  rlimit now{};
  getrlimit(resource, &now);
  now.rlim_cur = now.rlim_max = now.rlim_max < most ? now.rlim_max : most;
  setrlimit(resource, &now);
}

std::uint64_t memory_of_machine() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void withhold(void* data, std::size_t size_bytes) { withheld()[data] = size_bytes; }

void restore(void* data) { withheld().erase(data); }

void confine_runner(int report_fd) {
  g_confined = true;
  static const std::uint64_t memory = memory_of_machine();  // read from a file
  const auto& filter = SystemCallFilter::of_runners();      // made with a file in memory
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, kMallocArenas);
#endif
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  if (kFiltered) limit(RLIMIT_DATA, memory);
  for (const auto& [data, size_bytes] : withheld()) munmap(data, size_bytes);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!FileRules().restrict()) throw std::runtime_error("Landlock refuses to confine a process");
  if (kFiltered) {
    close_all_but({report_fd});
    if (filter.available() && !filter.load(report_fd))
      throw std::runtime_error("the kernel refuses a filter of system calls");
  }
}

bool is_confined() { return g_confined; }

bool filters_system_calls() { return kFiltered; }

std::string missing_confinement() {
  const bool filter = SystemCallFilter::of_runners().available(), files = landlock_version() != 0;
  if (filter && files) return {};
  return fmt::format("this machine offers no {}: kernels from strangers are confined by {}",
                     filter  ? "Landlock"
                     : files ? "filters of system calls (seccomp)"
                             : "filters of system calls (seccomp) and no Landlock",
                     filter  ? "filters of system calls, compilers by limits alone"
                     : files ? "Landlock and limits"
                             : "limits alone; verify only texts that you trust");
}

void die_with(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(3);
}

}  // namespace assay::sandbox
