// A piece of work in a process of its own: it may crash or hang without taking the program down.
#pragma once

#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace assay::cli {

/// How long those who wait for children sleep, at most, before they look around.
inline constexpr int kPoll_ms = 1000;

/// How a child reports: one JSON object a line. Thread-unsafe, for the child's main thread.
class Reporter {
 public:
  explicit Reporter(int fd) : fd_(fd) {}
  void send(const nlohmann::json& message) const;

 private:
  int fd_;
};

/// How a child ended without being asked to.
struct Death {
  int signal = 0;  ///< 0: it exited
  int exit_code = 0;
  std::uintptr_t address = 0;    ///< of a memory fault, 0 if unknown
  std::string describe() const;  ///< "signal 11 (Segmentation fault) at address 0x..."
};

/// A forked process that runs `body` and exits. Killed when this goes out of scope.
class Child {
 public:
  explicit Child(const std::function<void(const Reporter&)>& body);
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  /// For poll(): readable when a message has come or the child has ended.
  int fd() const { return fd_; }

  /// Reads what has come; call when fd() is readable. False once the child has closed its end.
  bool receive();
  /// The next whole message, if one has come.
  std::optional<nlohmann::json> next();

  /// Waits for the end; nothing if it exited with status 0.
  std::optional<Death> join();
  void kill();

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string buffer_;
  std::uintptr_t fault_address_ = 0;
};

}  // namespace assay::cli
