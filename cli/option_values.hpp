// What the values of options may be. CLI11 takes "0x10", " 5", "-1" and "010" as numbers, and wraps what does
// not fit: every option that takes a number or a path says here what it takes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace assay::cli {

inline constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t kMostCases = 1'000'000;
inline constexpr std::uint64_t kMostJobs = 256;
/// The name of the validator that path() gives.
inline constexpr const char* kPath = "path";

// For transform(): some hand the value on otherwise than it was written.

/// Decimal digits and nothing else, a number from `least` to `most`; leading zeros are taken off, which CLI11
/// would read as octal.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

/// Decimal digits with at most one point among them, from 0.001 to 1,000,000 seconds.
CLI::Validator seconds();

/// Seconds, or with the unit s, m or h behind them: "10m" becomes "600".
CLI::Validator duration();

/// The path of a file or a directory: not empty.
CLI::Validator path();

/// One of these words; --help and completion list them.
CLI::Validator one_of(const std::vector<std::string>& words);

/// "2/3", as parse_shard() takes it.
CLI::Validator shard();

}  // namespace assay::cli
