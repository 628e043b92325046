// Text that a person is shown, whoever wrote it: nothing in it may command the terminal, and no word may be
// longer than a person reads.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace assay {

/// Room for PATH_MAX and a line number, and for a replay line: words that must stay whole.
inline constexpr std::size_t kLongestPath = 4500;

/// The text as it may be shown: control characters, what turns the direction of writing and what is no UTF-8
/// become escapes (`\x1b`), but for line ends and tabs; of a word of more than `longest` bytes the middle is
/// left out and its length said.
std::string printable(std::string_view text, std::size_t longest = kLongestPath);

/// A message as one line: printable, words and the whole cut short, line ends made spaces and none at the
/// end.
std::string printable_line(std::string_view message);

/// What an exception says, without the names that libraries put before it.
std::string words_of(const std::exception& error);

/// The width of a column of names in a table: that of the longest, up to what a line has room for.
std::size_t column_width(std::size_t at_least, std::string_view name);

}  // namespace assay
