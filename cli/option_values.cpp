#include "cli/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/verify/numbers.hpp"
#include "harness/verify/shard.hpp"

namespace assay::cli {

constexpr double kLeastSeconds = 0.001, kMostSeconds = 1'000'000;

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto range = fmt::format("{} to {}", grouped(least), grouped(most));
  const auto read = [=](std::string& text) {
    const auto value = whole_number_in(text);
    if (!value || *value < least || *value > most)
      return fmt::format("`{}` is not a whole number from {}", text, range);
    text = std::to_string(*value);
    return std::string();
  };
  return {read, range, "whole number"};
}

CLI::Validator seconds() {
  const auto read = [](std::string& text) {
    const double value = decimal_in(text).value_or(0);
    if (value >= kLeastSeconds && value <= kMostSeconds) return std::string();
    return fmt::format("`{}` is not a number of seconds from 0.001 to 1,000,000", text);
  };
  return {read, "0.001 to 1,000,000", "seconds"};
}

CLI::Validator duration() {
  const auto read = [](std::string& text) {
    const double value = duration_in(text).value_or(0);
    if (value < kLeastSeconds || value > kMostSeconds) {
      return fmt::format("`{}` is not a time such as 90, 30s, 10m or 2h, of at most 1,000,000 seconds", text);
    }
    text = fmt::format("{}", value);
    return std::string();
  };
  return {read, "1s to 1,000,000s", "duration"};
}

CLI::Validator path() {
  const auto read = [](std::string& text) {
    return text.empty() ? "the path is empty; name a file or a directory" : std::string();
  };
  return {read, "", kPath};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto read = [words](std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    return fmt::format("`{}` is not one of {}", text, fmt::join(words, ", "));
  };
  return {read, fmt::format("{{{}}}", fmt::join(words, ",")), "word"};
}

CLI::Validator shard() {
  const auto read = [](std::string& text) {
    try {
      parse_shard(text);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  return {read, "I/N", "shard"};
}

}  // namespace assay::cli
