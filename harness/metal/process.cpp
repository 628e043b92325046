#include "harness/metal/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "harness/metal/errors.hpp"

extern char** environ;

namespace assay::metal {
namespace {

struct Pipe {
  std::array<int, 2> fd{-1, -1};
  Pipe() {
    if (pipe2(fd.data(), O_CLOEXEC) != 0)
      throw ToolchainError("cannot make a pipe: " + std::string(strerror(errno)));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(std::size_t end) {
    if (fd[end] >= 0) close(fd[end]);
    fd[end] = -1;
  }
};

// Reads both pipes until each is closed, so that neither can fill and stop the program.
void drain(Pipe& out, Pipe& err, ProcessResult& result) {
  std::array<pollfd, 2> polled{pollfd{out.fd[0], POLLIN, 0}, pollfd{err.fd[0], POLLIN, 0}};
  std::array<std::string*, 2> sinks{&result.out, &result.err};
  std::array<char, 65536> buffer;
  for (int open = 2; open > 0;) {
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      const ssize_t n = read(polled[i].fd, buffer.data(), buffer.size());
      if (n > 0) {
        sinks[i]->append(buffer.data(), static_cast<std::size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        polled[i].fd = -1;
        --open;
      }
    }
  }
}

std::vector<std::string> child_environment() {
  std::vector<std::string> variables = {"LC_ALL=C"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const auto is = [&](std::string_view name) { return variable.starts_with(name); };
    if (is("LC_ALL=") || is("PWD=") || is("LANGUAGE=") || is("CPATH=") || is("C_INCLUDE_PATH=") ||
        is("CPLUS_INCLUDE_PATH=") || is("DEPENDENCIES_OUTPUT=") || is("SUNPRO_DEPENDENCIES=")) {
      continue;
    }
    variables.emplace_back(variable);
  }
  return variables;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> raw;
  for (const auto& string : strings) raw.push_back(const_cast<char*>(string.c_str()));
  raw.push_back(nullptr);
  return raw;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const std::string& directory) {
  Pipe out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.fd[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.fd[1], STDERR_FILENO);
  if (!directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  const auto variables = child_environment();
  const auto arguments = pointers(argv), environment = pointers(variables);
  pid_t child = 0;
  const int status =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    throw ToolchainError("cannot run " + argv[0] + ": " + strerror(status) + "; install it or set ASSAY_CXX");
  }
  out.close_end(1);
  err.close_end(1);
  ProcessResult result;
  drain(out, err, result);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  return result;
}

}  // namespace assay::metal
