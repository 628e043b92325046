#include "cli/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/output.hpp"
#include "harness/verify/printable.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kUsualWidth = 100;
constexpr auto kShowEvery = std::chrono::milliseconds(100);

// A line that is longer than the terminal is wide could not be taken back.
std::size_t width_of_terminal() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return kUsualWidth;
  return size.ws_col - 1U;
}

}  // namespace

ProgressLine::~ProgressLine() { take_back(); }

bool ProgressLine::due() const {
  return talk_ != Talk::quiet && isatty(STDERR_FILENO) == 1 &&
         std::chrono::steady_clock::now() - last_ >= kShowEvery;
}

void ProgressLine::show(std::string_view text) {
  if (!due()) return;
  const std::string line = printable_line(text).substr(0, width_of_terminal());
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  last_ = std::chrono::steady_clock::now();
  shown_ = true;
}

void ProgressLine::take_back() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void ProgressLine::print(std::string_view lines) {
  take_back();
  write(lines);
  flush();
}

void ProgressLine::print(const report::StyledText& lines) {
  take_back();
  write(lines);
  flush();
}

}  // namespace assay::cli
