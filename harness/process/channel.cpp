#include "harness/process/channel.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "harness/sandbox/processor_clock.hpp"

namespace assay::process {
namespace {

/// Traces and reports of large cases are the longest messages there are.
constexpr std::size_t kLongestMessage = std::size_t{1} << 28;

}  // namespace

void Reporter::send(const nlohmann::json& message) const {
  sandbox::restart_processor_clock();
  const std::string line = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t n = write(fd_, line.data() + at, line.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(3);
    at += static_cast<std::size_t>(n);
  }
}

Channel::Channel() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  in_ = ends[0];
  out_ = ends[1];
}

Channel::Channel(Channel&& other) noexcept
    : in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      buffer_(std::move(other.buffer_)),
      read_(other.read_),
      malformed_(other.malformed_) {}

Channel::~Channel() {
  for (const int fd : {in_, out_}) {
    if (fd >= 0) close(fd);
  }
}

Reporter Channel::reporter() {
  close(std::exchange(in_, -1));
  return Reporter(out_);
}

void Channel::listen() {
  close(std::exchange(out_, -1));
  fcntl(in_, F_SETFL, O_NONBLOCK);
}

bool Channel::receive() {
  std::array<char, 65536> chunk;
  while (!malformed_) {
    const ssize_t n = read(in_, chunk.data(), chunk.size());
    if (n > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(n));
      if (buffer_.size() > kLongestMessage) malformed_ = true;
    } else if (n == 0) {
      return false;
    } else if (errno != EINTR) {
      return true;
    }
  }
  return false;
}

std::optional<nlohmann::json> Channel::next() {
  const auto end = malformed_ ? std::string::npos : buffer_.find('\n', read_);
  if (end == std::string::npos) {
    buffer_.erase(0, std::exchange(read_, 0));
    return std::nullopt;
  }
  const auto at = [&](std::size_t offset) { return buffer_.begin() + static_cast<std::ptrdiff_t>(offset); };
  auto message = nlohmann::json::parse(at(read_), at(end), nullptr, false);
  read_ = end + 1;
  if (message.is_object()) return message;
  malformed_ = true;
  return std::nullopt;
}

}  // namespace assay::process
