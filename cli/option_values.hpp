// What the values of options may be. CLI11 takes "0x10", " 5", "-1" and "010" as numbers, and wraps what does
// not fit: every option that takes a number or a path says here what it takes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace assay::cli {

inline constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t kMostCases = 1'000'000;
inline constexpr std::uint64_t kMostJobs = 256;

/// Decimal digits and nothing else, a number from `least` to `most`. A transform, not a check: CLI11 would
/// read leading zeros as octal.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

/// Decimal digits with at most one point among them, from 0.001 to 1,000,000 seconds.
CLI::Validator seconds();

/// The path of a file or a directory: not empty.
CLI::Validator path();

}  // namespace assay::cli
