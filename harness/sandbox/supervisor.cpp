#include "harness/sandbox/supervisor.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/sandbox/confinement.hpp"

namespace assay::sandbox {
namespace {

constexpr int kPause_ms = 2, kPatience_ms = 1000;

/// A terminal sends its signal to every process of a job, and so may a script: what comes so soon after the
/// first is the same request.
constexpr int kSameRequest_ms = 250;

// Children of this process, orphans that have come to it among them.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  std::ifstream in("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t pid; in >> pid;) all.push_back(pid);
  return all;
}

// Once the worker has ended or has been killed: waits for it and for its orphans, which come to this process,
// their subreaper. Each has been told to die with its parent; whoever has not after a while is killed. The
// worker's status.
int wait_for_all(pid_t worker) {
  int status = 0, of_worker = 0;
  for (int waited_ms = 0;; waited_ms += kPause_ms) {
    pid_t ended = 0;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended == worker) of_worker = status;
    }
    if (ended < 0 && errno == ECHILD) return of_worker;
    if (waited_ms % kPatience_ms == kPatience_ms - kPause_ms) {
      for (const pid_t child : children()) kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kPause_ms));
  }
}

// Has the worker, which is left for wait_for_all()? Orphans that have ended are waited for.
bool has_ended(pid_t worker) {
  siginfo_t ended{};
  if (waitid(P_PID, static_cast<id_t>(worker), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
  if (ended.si_pid == worker) return true;
  int status = 0;
  while ((ended.si_pid = 0, waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT)) == 0 &&
         ended.si_pid != 0 && ended.si_pid != worker)
    waitpid(ended.si_pid, &status, 0);
  return false;
}

[[noreturn]] void end_by(int number, const sigset_t& mask) {
  signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  sigprocmask(SIG_UNBLOCK, &one, nullptr);
  raise(number);
  _exit(128 + number);
}

}  // namespace

int supervised(const std::function<int()>& work, const std::function<void()>& clean_up, AskedToEnd mode) {
  using Clock = std::chrono::steady_clock;
  sigset_t awaited, mask;
  sigemptyset(&awaited);
  for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&awaited, number);
  sigprocmask(SIG_BLOCK, &awaited, &mask);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t parent = getpid();
  const pid_t worker = fork();
  if (worker < 0) throw std::runtime_error("cannot start a process");
  if (worker == 0) {
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    die_with(parent);
    std::exit(work());
  }
  int asked = 0;  // the signal
  Clock::time_point since{};
  for (bool killed = false;;) {
    const bool waits = asked != 0 && !killed && mode == AskedToEnd::ends_by_signal;
    const auto waited = [&] {
      return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since).count();
    };
    const auto left_ms = waits ? std::max<std::int64_t>(0, kLastWords_ms - waited()) : 0;
    const timespec patience{left_ms / 1000, left_ms % 1000 * 1'000'000};
    const int number = waits ? sigtimedwait(&awaited, nullptr, &patience) : sigwaitinfo(&awaited, nullptr);
    if (waits && waited() >= kLastWords_ms) {
      kill(worker, SIGKILL);
      killed = true;
    }
    if (number == SIGCHLD) {
      if (!has_ended(worker)) continue;
    } else {
      if (number > 0 && asked == 0) {
        asked = number;
        since = Clock::now();
        kill(worker, number);
      } else if (number > 0 && waited() >= kSameRequest_ms) {
        kill(worker, SIGKILL);  // who asks twice will not wait
        killed = true;
        mode = AskedToEnd::ends_by_signal;
      }
      if (!killed) continue;
    }
    const int status = wait_for_all(worker);
    clean_up();
    if (asked != 0 && mode == AskedToEnd::ends_by_signal) end_by(asked, mask);
    if (WIFSIGNALED(status)) end_by(WTERMSIG(status), mask);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    return WEXITSTATUS(status);
  }
}

}  // namespace assay::sandbox
