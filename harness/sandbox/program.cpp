#include "harness/sandbox/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>

#include "harness/sandbox/awaited_pipe.hpp"
#include "harness/sandbox/descriptors.hpp"
#include "harness/sandbox/filter.hpp"

namespace assay::sandbox {
namespace {

struct Pipe {
  std::array<int, 2> fd{-1, -1};
  Pipe() {
    if (pipe2(fd.data(), O_CLOEXEC) != 0)
      throw ProgramError("cannot make a pipe: " + std::string(strerror(errno)));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (fd[end] >= 0) close(fd[end]);
    fd[end] = -1;
  }
};

// What the guardian says at the end.
struct Ending {
  int wait_status = 0;
  int exec_errno = 0;  // why the program could not be started
  bool timed_out = false;
};

std::vector<std::string> environment_of(const ProgramOptions& options) {
  std::vector<std::string> variables = options.environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const auto name = variable.substr(0, variable.find('=') + 1);
    bool replaced = false;
    for (const auto& own : options.environment) replaced |= own.starts_with(name);
    if (!replaced && name != "PWD=") variables.emplace_back(variable);
  }
  return variables;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> raw;
  raw.reserve(strings.size());
  for (const auto& string : strings) raw.push_back(const_cast<char*>(string.c_str()));
  raw.push_back(nullptr);
  return raw;
}

void limit_program(int resource, std::uint64_t most) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource>(resource), &now);
  if (now.rlim_max < most) most = now.rlim_max;
  now = {most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

// A program and its guardian, from here to exec: only what is safe in the child of a process with threads.
class Start {
 public:
  Start(const std::vector<std::string>& argv, const ProgramOptions& options)
      : options_(options),
        variables_(environment_of(options)),
        arguments_(pointers(argv)),
        environment_(pointers(variables_)) {
    if (options.files) {
      rules_ = std::make_unique<FileRules>(*options.files);
      (void)SystemCallFilter::of_compilers();  // built before the fork
    }
  }

  // In the guardian: starts the program, waits for its end, ends all that it has started.
  [[noreturn]] void guard(pid_t parent, int in, int out, int err, int report, const sigset_t& mask) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(0);
    // The first three stay taken, so that no pipe gets their numbers.
    close_all_but(
        {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, in, out, err, report, rules_ ? rules_->fd() : -1});
    Ending ending;
    std::array<int, 2> failure{-1, -1};
    if (pipe2(failure.data(), O_CLOEXEC) != 0) ending.exec_errno = errno;
    const pid_t program = ending.exec_errno == 0 ? fork() : -1;
    if (program == 0) become_program(in, out, err, failure[1], mask);
    if (program < 0 && ending.exec_errno == 0) ending.exec_errno = errno;
    for (const int fd : {in, out, err, failure[1]}) close(fd);
    if (program > 0) {
      setpgid(program, program);
      if (read(failure[0], &ending.exec_errno, sizeof ending.exec_errno) <= 0) ending.exec_errno = 0;
      wait_for(program, ending);
      kill(-program, SIGKILL);
    }
    [[maybe_unused]] const auto written = write(report, &ending, sizeof ending);
    _exit(0);
  }

 private:
  void wait_for(pid_t program, Ending& ending) const {
    sigset_t awaited;
    sigemptyset(&awaited);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&awaited, signal);
    timespec left{};
    left.tv_sec = static_cast<time_t>(options_.timeout_s);
    left.tv_nsec = static_cast<long>(std::fmod(options_.timeout_s, 1.0) * 1e9);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double deadline = seconds(now) + options_.timeout_s;
    for (;;) {
      if (waitpid(program, &ending.wait_status, WNOHANG) == program) return;
      const int signal =
          options_.timeout_s > 0 ? sigtimedwait(&awaited, nullptr, &left) : sigwaitinfo(&awaited, nullptr);
      if (signal == SIGCHLD) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        const double rest = std::max(0.0, deadline - seconds(now));
        left = {static_cast<time_t>(rest), static_cast<long>(std::fmod(rest, 1.0) * 1e9)};
        continue;
      }
      if (signal < 0 && errno == EINTR) continue;
      ending.timed_out = signal < 0;
      kill(-program, SIGKILL);  // its time is over, or nobody waits for it any more
      kill(program, SIGKILL);
      while (waitpid(program, &ending.wait_status, 0) < 0 && errno == EINTR) {
      }
      return;
    }
  }

  [[noreturn]] void become_program(int in, int out, int err, int failure, const sigset_t& mask) {
    setpgid(0, 0);
    for (const int signal : {SIGCHLD, SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    bool ready =
        dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0;
    close_all_but({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, failure, rules_ ? rules_->fd() : -1});
    ready = ready && (options_.directory.empty() || chdir(options_.directory.c_str()) == 0);
    limit_program(RLIMIT_CORE, 0);
    if (options_.memory_bytes != 0) limit_program(RLIMIT_AS, options_.memory_bytes);
    if (rules_) {
      limit_program(RLIMIT_FSIZE, options_.output_bytes);
      ready = ready && rules_->restrict();
      if (SystemCallFilter::of_compilers().available())
        ready = ready && SystemCallFilter::of_compilers().load();
    }
    if (ready) execvpe(arguments_[0], arguments_.data(), environment_.data());
    [[maybe_unused]] const auto written = write(failure, &errno, sizeof errno);
    _exit(127);
  }

  static double seconds(const timespec& time) {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  const ProgramOptions& options_;
  std::vector<std::string> variables_;
  std::vector<char*> arguments_, environment_;
  std::unique_ptr<FileRules> rules_;
};

// The guardian, from outside; it ends, and with it the program, when this goes out of scope.
class Guardian {
 public:
  explicit Guardian(pid_t pid) : pid_(pid) {}
  ~Guardian() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    wait();
  }
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
  void wait() {
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }

 private:
  pid_t pid_;
};

/// A compiler that says nothing for so long may wait for a pipe that a text includes.
constexpr int kSilence_ms = 250;

// Reads both pipes until each is closed, so that neither can fill and stop the program. False when it is to
// be stopped: result.stopped says why.
bool drain(Pipe& out, Pipe& err, const ProgramOptions& options, pid_t guardian, ProgramResult& result) {
  std::array<pollfd, 2> polled{pollfd{out.fd[0], POLLIN, 0}, pollfd{err.fd[0], POLLIN, 0}};
  std::array<std::string*, 2> sinks{&result.out, &result.err};
  std::array<char, 65536> buffer;
  for (int open = 2; open > 0;) {
    const int ready = poll(polled.data(), polled.size(), options.files ? kSilence_ms : -1);
    if (ready < 0 && errno != EINTR) return true;
    if (ready == 0) {
      const std::string pipe = awaited_pipe(guardian);
      if (pipe.empty()) continue;
      result.stopped = fmt::format("`{}` is a pipe, not a regular file", pipe);
      return false;
    }
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      const ssize_t n = read(polled[i].fd, buffer.data(), buffer.size());
      if (n > 0) {
        sinks[i]->append(buffer.data(), static_cast<std::size_t>(n));
        if (sinks[i]->size() > options.output_bytes) {
          result.stopped = fmt::format("it wrote more than {} bytes", options.output_bytes);
          return false;
        }
      } else if (n == 0 || errno != EINTR) {
        polled[i].fd = -1;
        --open;
      }
    }
  }
  return true;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& argv, const ProgramOptions& options) {
  Pipe out, err, report;
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  Start start(argv, options);
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) start.guard(parent, in, out.fd[1], err.fd[1], report.fd[1], mask);
  const int failure = errno;
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (in >= 0) close(in);
  if (pid < 0) throw ProgramError(fmt::format("cannot run {}: {}", argv[0], strerror(failure)));
  Guardian guardian(pid);
  for (Pipe* pipe : {&out, &err, &report}) pipe->close_end(1);
  ProgramResult result;
  if (!drain(out, err, options, pid, result)) return result;
  Ending ending;
  ssize_t n = 0;
  do n = read(report.fd[0], &ending, sizeof ending);
  while (n < 0 && errno == EINTR);
  guardian.wait();
  if (n != sizeof ending) throw ProgramError(fmt::format("{} was ended from outside", argv[0]));
  if (ending.exec_errno != 0)
    throw ProgramError(fmt::format("cannot run {}: {}", argv[0], strerror(ending.exec_errno)));
  if (ending.timed_out) result.stopped = fmt::format("it did not end within {} s", options.timeout_s);
  const int status = ending.wait_status;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace assay::sandbox
