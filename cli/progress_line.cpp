#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace assay::cli {

void ProgressLine::show(const std::string& text) {
  if (isatty(STDOUT_FILENO) != 1) return;
  fmt::print("\r\033[K{}", text);
  std::fflush(stdout);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) fmt::print("\r\033[K");
  shown_ = false;
}

}  // namespace assay::cli
