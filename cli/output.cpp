#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "harness/verify/printable.hpp"

namespace assay::cli {

namespace {

// What turns a style on; "" for none. Eight colours, which every terminal with colours has.
const char* begin_of(report::Style style) {
  switch (style) {
    case report::Style::good:
      return "\033[32m";
    case report::Style::bad:
      return "\033[31m";
    case report::Style::unsure:
      return "\033[33m";
    case report::Style::plain:
      return "";
  }
  return "";
}

void put(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw OutputError();
}

}  // namespace

OutputError::OutputError()
    : std::runtime_error(fmt::format("standard output cannot be written: {}", std::strerror(errno))) {}

void write(std::string_view text) { put(printable(text)); }

void write(const report::StyledText& text) {
  const bool coloured = colours(STDOUT_FILENO);
  for (const auto& [words, style] : text.pieces()) {
    const std::string begin = coloured ? begin_of(style) : "";
    put(begin + printable(words) + (begin.empty() ? "" : "\033[0m"));
  }
}

bool colours(int descriptor) {
  const char *const none = std::getenv("NO_COLOR"), *const term = std::getenv("TERM");
  if (none != nullptr && *none != '\0') return false;
  return (term == nullptr || std::string_view(term) != "dumb") && isatty(descriptor) == 1;
}

void flush() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw OutputError();
}

// Where standard error is closed too, there is nobody to tell: the status says it.
void complain(std::string_view message) {
  const std::string line = printable_line(message) + '\n';
  (void)!std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace assay::cli
