#include "harness/process/channel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "harness/sandbox/processor_clock.hpp"

namespace assay::process {
namespace {

/// Traces and reports of large cases are the longest messages there are.
constexpr std::size_t kLongestMessage = std::size_t{1} << 28;

std::string new_word() {
  std::array<std::uint64_t, 2> random{};
  if (getrandom(random.data(), sizeof random, 0) != sizeof random)
    throw std::runtime_error("the system did not give random numbers");
  return fmt::format("{:016x}{:016x} ", random[0], random[1]);
}

}  // namespace

void Reporter::send(const nlohmann::json& message) const {
  sandbox::restart_processor_clock();
  const std::string line =
      word_ + message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t n = write(fd_, line.data() + at, line.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(3);
    at += static_cast<std::size_t>(n);
  }
}

Channel::Channel() : word_(new_word()) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  in_ = ends[0];
  out_ = ends[1];
}

Channel::Channel(Channel&& other) noexcept
    : in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      word_(std::move(other.word_)),
      buffer_(std::move(other.buffer_)),
      forged_(other.forged_) {}

Channel::~Channel() {
  for (const int fd : {in_, out_}) {
    if (fd >= 0) close(fd);
  }
}

Reporter Channel::reporter() {
  close(std::exchange(in_, -1));
  return Reporter(out_, word_);
}

void Channel::listen() {
  close(std::exchange(out_, -1));
  fcntl(in_, F_SETFL, O_NONBLOCK);
}

bool Channel::receive(bool wait) {
  if (wait) fcntl(in_, F_SETFL, 0);
  std::array<char, 65536> chunk;
  while (!forged_) {
    const ssize_t n = read(in_, chunk.data(), chunk.size());
    if (n > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(n));
      if (buffer_.size() > kLongestMessage) forged_ = true;
    } else if (n == 0) {
      return false;
    } else if (errno != EINTR) {
      return true;
    }
  }
  return false;
}

std::optional<nlohmann::json> Channel::next() {
  const auto end = forged_ ? std::string::npos : buffer_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  nlohmann::json message;
  if (line.starts_with(word_))
    message = nlohmann::json::parse(line.begin() + static_cast<std::ptrdiff_t>(word_.size()), line.end(),
                                    nullptr, false);
  if (message.is_object()) return message;
  forged_ = true;
  return std::nullopt;
}

}  // namespace assay::process
