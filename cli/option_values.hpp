// What the values of options may be. CLI11 takes "0x10", " 5", "-1" and "010" as numbers, and wraps what does
// not fit: every option that takes a number or a path says here what it takes.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace assay::cli {

inline constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t kMostCases = 1'000'000;
inline constexpr std::uint64_t kMostJobs = 256;

// Each gives what is wrong with the text, in one line; nothing where it is right.

/// Decimal digits and nothing else, a number from `least` to `most`; leading zeros are taken off, which CLI11
/// would read as octal.
std::string whole_number(std::string& text, std::uint64_t least, std::uint64_t most);

/// "1 to 1,000,000".
std::string range_text(std::uint64_t least, std::uint64_t most);

/// Decimal digits with at most one point among them, from 0.001 to 1,000,000 seconds.
std::string seconds(const std::string& text);

/// Seconds as above, or with the unit s, m or h behind them: "10m" becomes "600".
std::string duration(std::string& text);

/// The path of a file or a directory: not empty.
std::string path(const std::string& text);

}  // namespace assay::cli
