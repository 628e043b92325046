#include "cli/progress_line.hpp"

#include <unistd.h>

#include <cstdio>

#include "cli/output.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kLongest = 100;

void take_back() { std::fputs("\r\033[K", stdout); }

}  // namespace

void ProgressLine::show(std::string_view text) {
  if (isatty(STDOUT_FILENO) != 1) return;
  take_back();
  write(text.substr(0, kLongest));
  flush();
  shown_ = true;
}

void ProgressLine::print(std::string_view lines) {
  if (shown_) take_back();
  shown_ = false;
  write(lines);
  flush();
}

}  // namespace assay::cli
