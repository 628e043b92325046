// Messages from a process to the one that started it: one JSON object a line, behind a word that only those
// two know. What else arrives is forged.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace assay::process {

/// The writing end. Thread-unsafe.
class Reporter {
 public:
  Reporter(int fd, std::string word) : fd_(fd), word_(std::move(word)) {}
  /// Ends this process with status 3 where nobody listens any more. A stretch of processor time begins here
  /// (harness/sandbox/processor_clock.hpp).
  void send(const nlohmann::json& message) const;
  int fd() const { return fd_; }
  const std::string& word() const { return word_; }

 private:
  int fd_;
  std::string word_;
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
  /// Reads what has come, waiting where there is nothing if `wait`. False once the writer has closed its end,
  /// and after a forged message.
  bool receive(bool wait = false);
  /// The next whole message, if one has come.
  std::optional<nlohmann::json> next();
  /// Has something come that the writer's word does not stand before?
  bool forged() const { return forged_; }

 private:
  int in_ = -1, out_ = -1;
  std::string word_, buffer_;
  bool forged_ = false;
};

}  // namespace assay::process
