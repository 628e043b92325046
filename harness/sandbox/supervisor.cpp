#include "harness/sandbox/supervisor.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
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

int supervised(const std::function<int()>& work, const std::function<void()>& clean_up, bool ends_itself) {
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
  for (;;) {
    const int number = sigwaitinfo(&awaited, nullptr);
    int status = 0;
    if (number == SIGCHLD) {
      // Orphans end too; the worker is left for wait_for_all().
      siginfo_t ended{};
      if (waitid(P_PID, static_cast<id_t>(worker), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          ended.si_pid != worker) {
        while ((status = 0, waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT)) == 0 &&
               ended.si_pid != 0 && ended.si_pid != worker)
          waitpid(ended.si_pid, &status, 0);
        continue;
      }
    } else if (number < 0) {
      continue;
    } else if (ends_itself) {
      ends_itself = false;  // who asks twice will not wait
      kill(worker, number);
      continue;
    } else {
      kill(worker, SIGKILL);
    }
    status = wait_for_all(worker);
    clean_up();
    if (number != SIGCHLD) end_by(number, mask);
    if (WIFSIGNALED(status)) end_by(WTERMSIG(status), mask);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    return WEXITSTATUS(status);
  }
}

}  // namespace assay::sandbox
