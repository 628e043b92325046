#include "harness/process/slots.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

namespace assay::process {
namespace {

void free_slot(int fd) {
  const char one = '.';
  [[maybe_unused]] const auto written = write(fd, &one, 1);
}

}  // namespace

unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); }

Slot::~Slot() {
  if (give_back_ >= 0) free_slot(give_back_);
}

Slot::Slot(Slot&& other) noexcept : give_back_(other.give_back_) { other.give_back_ = -1; }

Slots::Slots(unsigned count) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  out_ = ends[0];
  in_ = ends[1];
  fcntl(out_, F_SETFL, O_NONBLOCK);
  for (unsigned i = 0; i < count; ++i) free_slot(in_);
}

Slots::~Slots() {
  close(out_);
  close(in_);
}

std::optional<Slot> Slots::try_take() const {
  char one = 0;
  if (read(out_, &one, 1) != 1) return std::nullopt;
  return Slot(in_);
}

Slot Slots::take() const {
  for (;;) {
    if (auto slot = try_take()) return std::move(*slot);
    pollfd polled{out_, POLLIN, 0};
    poll(&polled, 1, -1);
  }
}

}  // namespace assay::process
