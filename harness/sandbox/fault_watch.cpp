#include "harness/sandbox/fault_watch.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "harness/sandbox/processor_clock.hpp"
#include "harness/sandbox/registers.hpp"

namespace assay::sandbox {
namespace {

int g_fd = -1;
constexpr std::size_t kStackWords = 128;
constexpr int kLooks = 40;
alignas(64) std::array<char, 64 * 1024> g_signal_stack;

// Runs on a stack of its own (the kernel's may be what overflowed), so nothing here may allocate.
class Line {
 public:
  void text(const char* words) {
    while (*words != '\0' && size_ < bytes_.size()) bytes_[size_++] = *words++;
  }
  void number(std::uint64_t value) {
    std::array<char, 24> digits{};
    std::size_t n = 0;
    do digits[n++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    while (n > 0 && size_ < bytes_.size()) bytes_[size_++] = digits[--n];
  }
  void write_to(int fd) const { [[maybe_unused]] const auto written = write(fd, bytes_.data(), size_); }

 private:
  std::array<char, 3500> bytes_{};  // less than a pipe takes in one piece
  std::size_t size_ = 0;
};

// Read by a handler of signals, so it neither moves nor locks: a slot is taken by its address, and free at 0.
struct NamedGuards {
  std::atomic<std::uintptr_t> begin{0};
  Guards guards;
  const char* meaning = "";
};
std::array<NamedGuards, 128> g_guards;

const char* meaning_of(std::uintptr_t address) {
  for (const auto& one : g_guards) {
    const auto begin = one.begin.load(std::memory_order_acquire);
    if (begin == 0 || address < begin) continue;
    const auto offset = address - begin;
    if (offset / one.guards.pitch < one.guards.count && offset % one.guards.pitch < one.guards.bytes)
      return one.meaning;
  }
  return "";
}

const std::uintptr_t* top_of(const Registers& registers) {
  return reinterpret_cast<const std::uintptr_t*>(registers.stack / sizeof(std::uintptr_t) *
                                                 sizeof(std::uintptr_t));
}

// ,"at":I,"stack":[...] with so many words of the stack, whatever it holds there.
__attribute__((no_sanitize("address"))) void add_place(Line& line, const Registers& registers,
                                                       std::size_t words) {
  line.text(",\"at\":");
  line.number(registers.instruction);
  line.text(",\"stack\":[");
  const auto* top = top_of(registers);
  for (std::size_t i = 0; top != nullptr && i < words; ++i) {
    if (i != 0) line.text(",");
    line.number(top[i]);
  }
  line.text("]}}\n");
}

// Asks the kernel, which copies a set of signals before it refuses what is to be done with it: no fault is
// raised and left by a jump, which AddressSanitizer does not survive on this stack.
bool can_be_read(const std::uintptr_t* word) {
  constexpr int kNothing = -1;
  return syscall(SYS_rt_sigprocmask, kNothing, word, nullptr, sizeof *word) == 0 || errno != EFAULT;
}

// Those of kStackWords that can be read: the stack of a kernel's thread may hold fewer.
std::size_t words_of_stack(const Registers& registers) {
  const std::uintptr_t* top = top_of(registers);
  std::size_t words = 0;
  while (top != nullptr && words < kStackWords && can_be_read(top + words)) ++words;
  return words;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto registers = registers_of(*static_cast<const ucontext_t*>(context));
  const bool call = signal == SIGSYS;
  const auto address = call ? 0 : reinterpret_cast<std::uintptr_t>(info->si_addr);
  Line line;
  line.text("{\"fault\":{\"signal\":");
  line.number(static_cast<std::uint64_t>(signal));
  line.text(",\"address\":");
  line.number(address);
  line.text(",\"guard\":\"");
  line.text(address == 0 ? "" : meaning_of(address));
  line.text("\",\"call\":");
  if (call) {
    line.number(static_cast<std::uint64_t>(info->si_syscall));
  } else {
    line.text("-1");
  }
  add_place(line, registers, words_of_stack(registers));
  line.write_to(g_fd);
  if (call) _exit(128 + SIGSYS);  // it would not be raised again
  ::signal(signal, SIG_DFL);      // the faulting instruction runs again
}

// The processor time of a stretch is used up (processor_clock.hpp): where it goes is looked at a few times,
// for a loop has more than one line. Who raises the signal, or has a clock of its own, ends at once.
void on_late(int signal, siginfo_t* info, void* context) {
  static volatile sig_atomic_t looks = 0;
  if (info->si_code != SI_TKILL && processor_clock_runs() && looks < kLooks) {
    const int interrupted = errno;
    const auto registers = registers_of(*static_cast<const ucontext_t*>(context));
    Line line;
    line.text("{\"look\":{\"number\":");
    line.number(static_cast<std::uint64_t>(looks));
    add_place(line, registers, words_of_stack(registers));
    line.write_to(g_fd);
    looks = looks + 1;
    errno = interrupted;
    return;
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void name_guards(const Guards& guards, const char* meaning) {
  static std::mutex lock;
  const std::lock_guard guard(lock);
  for (auto& one : g_guards) {
    if (one.begin.load() != 0) continue;
    one.guards = guards;
    one.meaning = meaning;
    one.begin.store(guards.begin, std::memory_order_release);
    return;
  }
}

void forget_guards(std::uintptr_t begin) {
  for (auto& one : g_guards) {
    if (one.begin.load() == begin) one.begin.store(0);
  }
}

void watch_faults(int fd) {
  g_fd = fd;
  stack_t stack{};
  stack.ss_sp = g_signal_stack.data();
  stack.ss_size = g_signal_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS}) sigaction(signal, &action, nullptr);
  action.sa_sigaction = on_late;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
}

}  // namespace assay::sandbox
