#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "harness/verify/printable.hpp"

namespace assay::cli {

OutputError::OutputError()
    : std::runtime_error(fmt::format("standard output cannot be written: {}", std::strerror(errno))) {}

void write(std::string_view text) {
  const std::string shown = printable(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size()) throw OutputError();
}

void flush() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw OutputError();
}

void complain(std::string_view message) { fmt::print(stderr, "{}\n", printable_line(message)); }

}  // namespace assay::cli
