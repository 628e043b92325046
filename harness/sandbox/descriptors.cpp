#include "harness/sandbox/descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace assay::sandbox {

void close_all_but(std::initializer_list<int> kept) {
  for (int first = 0;;) {
    int next = INT_MAX;
    for (const int fd : kept) {
      if (fd >= first) next = std::min(next, fd);
    }
    if (next > first) close_range(static_cast<unsigned>(first), static_cast<unsigned>(next) - 1, 0);
    if (next == INT_MAX) return;
    first = next + 1;
  }
}

void hold_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest that is free is taken, so those before `standard` are held by now.
    if (fcntl(standard, F_GETFD) < 0) (void)!open("/dev/null", O_RDONLY);
  }
}

}  // namespace assay::sandbox
