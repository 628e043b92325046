// What the program says: every line for a person leaves it here. Names, paths and texts of others are quoted
// in it, so nothing in a line may command the terminal, and no word may be longer than a person reads.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace assay::cli {

/// Standard output took less than it was given: a full disk, a closed descriptor.
class OutputError : public std::runtime_error {
 public:
  OutputError();
};

/// The text as it may be shown: control characters, what turns the direction of writing and what is no UTF-8
/// become escapes (`\x1b`), but for line ends and tabs; of a word of more than `longest` bytes the middle is
/// left out and its length said.
std::string printable(std::string_view text, std::size_t longest);

/// Writes printable text to standard output. Words may be as long as a path. Throws OutputError.
void write(std::string_view text);

template <class... T>
void print(fmt::format_string<T...> format, T&&... arguments) {
  write(fmt::format(format, std::forward<T>(arguments)...));
}

/// Everything written so far is where it belongs. Throws OutputError where it is not.
void flush();

/// One line on standard error: printable, words cut short, line ends made spaces.
void complain(std::string_view message);

/// What an exception says, without the names that libraries put before it.
std::string words_of(const std::exception& error);

/// The width of a column of names in a table: that of the longest, up to what a line has room for.
std::size_t column_width(std::size_t at_least, std::string_view name);

/// Standard descriptors that were closed when the program was started are opened on /dev/null, so that no
/// file of ours becomes standard output. Writing to them fails.
void hold_standard_descriptors();

}  // namespace assay::cli
