// Messages from a process to the one that started it: one JSON object a line. What arrives from a process
// that runs a kernel is what somebody claims: it is read as such, and what is no such line ends that process.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace assay::process {

/// The writing end. Thread-unsafe.
class Reporter {
 public:
  explicit Reporter(int fd) : fd_(fd) {}
  /// Ends this process with status 3 where nobody listens any more. A stretch of processor time begins here
  /// (harness/sandbox/processor_clock.hpp).
  void send(const nlohmann::json& message) const;
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// The reading end, and the pipe between.
class Channel {
 public:
  /// Throws std::runtime_error where no pipe can be had.
  Channel();
  ~Channel();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&&) = delete;

  /// In the process that writes: the end that is left to it.
  Reporter reporter();
  /// In the one that reads: gives up the other's end.
  void listen();

  /// For poll(): readable when a message has come or the writer has ended.
  int fd() const { return in_; }
  /// Reads what has come. False once the writer has closed its end, and after what is no message.
  bool receive();
  /// The next whole message, if one has come.
  std::optional<nlohmann::json> next();
  /// Has something come that is no message, or is longer than any?
  bool malformed() const { return malformed_; }

 private:
  int in_ = -1, out_ = -1;
  std::string buffer_;
  std::size_t read_ = 0;  ///< of the buffer, what next() has given
  bool malformed_ = false;
};

}  // namespace assay::process
