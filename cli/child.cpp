#include "cli/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace assay::cli {
namespace {

int g_report_fd = -1;
alignas(64) std::array<char, 64 * 1024> g_signal_stack;

// Runs on a stack of its own (the kernel's may be what overflowed) and calls nothing that allocates.
void on_fault(int signal, siginfo_t* info, void*) {
  auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  std::array<char, 64> line{};
  char* out = line.data();
  for (const char* text = "{\"fault\":"; *text != '\0';) *out++ = *text++;
  std::array<char, 24> digits{};
  std::size_t n = 0;
  do digits[n++] = static_cast<char>('0' + address % 10);
  while ((address /= 10) != 0);
  while (n > 0) *out++ = digits[--n];
  *out++ = '}';
  *out++ = '\n';
  [[maybe_unused]] const auto written =
      write(g_report_fd, line.data(), static_cast<std::size_t>(out - line.data()));
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void watch_faults(int fd) {
  g_report_fd = fd;
  stack_t stack{};
  stack.ss_sp = g_signal_stack.data();
  stack.ss_size = g_signal_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

}  // namespace

void Reporter::send(const nlohmann::json& message) const {
  const std::string line = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t n = write(fd_, line.data() + at, line.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(3);  // nobody listens any more
    at += static_cast<std::size_t>(n);
  }
}

std::string Death::describe() const {
  if (signal == 0) return fmt::format("exit status {}", exit_code);
  const auto at = address == 0 ? "" : fmt::format(" at address {:#x}", address);
  return fmt::format("signal {} ({}){}", signal, strsignal(signal), at);
}

Child::Child(const std::function<void(const Reporter&)>& body) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  std::cout.flush();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error("cannot start a process");
  }
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(3);
    close(ends[0]);
    watch_faults(ends[1]);
    try {
      body(Reporter(ends[1]));
    } catch (const std::exception& error) {
      Reporter(ends[1]).send({{"type", "failed"}, {"what", error.what()}});
      _exit(4);
    }
    _exit(0);  // no destructors, no flushing of what the parent has buffered too
  }
  close(ends[1]);
  fd_ = ends[0];
  fcntl(fd_, F_SETFL, O_NONBLOCK);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      fault_address_(other.fault_address_) {}

Child::~Child() {
  kill();
  join();
  if (fd_ >= 0) close(fd_);
}

bool Child::receive() {
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t n = read(fd_, chunk.data(), chunk.size());
    if (n > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(n));
    } else if (n == 0) {
      return false;
    } else if (errno != EINTR) {
      return true;
    }
  }
}

std::optional<nlohmann::json> Child::next() {
  const auto end = buffer_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  auto message = nlohmann::json::parse(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(end),
                                       nullptr, false);
  buffer_.erase(0, end + 1);
  if (message.is_object() && message.contains("fault")) {
    fault_address_ = message["fault"].get<std::uintptr_t>();
    return next();
  }
  return message;
}

std::optional<Death> Child::join() {
  if (pid_ < 0) return std::nullopt;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return Death{WTERMSIG(status), 0, fault_address_};
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return Death{0, WEXITSTATUS(status), fault_address_};
  return std::nullopt;
}

void Child::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

}  // namespace assay::cli
