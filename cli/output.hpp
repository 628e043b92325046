// What the program says: every line for a person leaves it here, printable (harness/verify/printable.hpp).
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/report/styled.hpp"

namespace assay::cli {

/// Standard output took less than it was given: a full disk, a closed descriptor.
class OutputError : public std::runtime_error {
 public:
  OutputError();
};

/// Writes printable text to standard output. Words may be as long as a path. Throws OutputError.
void write(std::string_view text);

template <class... T>
void print(fmt::format_string<T...> format, T&&... arguments) {
  write(fmt::format(format, std::forward<T>(arguments)...));
}

/// The same with the words coloured, where standard output is a terminal that shows colours (colours()).
void write(const report::StyledText& text);

/// Whether what is written to this descriptor is coloured: it is a terminal, $TERM is not "dumb", and
/// $NO_COLOR is empty or not set.
bool colours(int descriptor);

/// Everything written so far is where it belongs. Throws OutputError where it is not.
void flush();

/// One line on standard error: printable, words cut short, line ends made spaces.
void complain(std::string_view message);

}  // namespace assay::cli
