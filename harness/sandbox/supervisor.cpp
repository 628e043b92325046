#include "harness/sandbox/supervisor.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "harness/sandbox/confinement.hpp"

namespace assay::sandbox {
namespace {

// Orphans come to this process, as their subreaper: each has been told to die with its parent. `worker` last,
// if it is among them: its status.
int wait_for_all(pid_t worker) {
  int status = 0, of_worker = 0;
  for (;;) {
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended == worker) of_worker = status;
    if (ended < 0 && errno != EINTR) return of_worker;
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

int supervised(const std::function<int()>& work, const std::function<void()>& clean_up) {
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
