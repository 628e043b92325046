#include "cli/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace assay::cli {
namespace {

constexpr double kLeastSeconds = 0.001, kMostSeconds = 1'000'000;

bool digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// 1000000 as 1,000,000.
std::string grouped(std::uint64_t number) {
  std::string text;
  for (; number >= 1000; number /= 1000) text = fmt::format(",{:03}{}", number % 1000, text);
  return fmt::format("{}{}", number, text);
}

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stopped == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string range_text(std::uint64_t least, std::uint64_t most) {
  return fmt::format("{} to {}", grouped(least), grouped(most));
}

std::string whole_number(std::string& text, std::uint64_t least, std::uint64_t most) {
  const auto value = digits(text) ? parse<std::uint64_t>(text) : std::nullopt;
  if (!value || *value < least || *value > most) {
    return fmt::format("`{}` is not a whole number from {}", text, range_text(least, most));
  }
  text = std::to_string(*value);
  return {};
}

std::string seconds(const std::string& text) {
  std::string plain = text;
  if (const auto point = plain.find('.'); point != std::string::npos) plain.erase(point, 1);
  const auto value =
      digits(plain) && text.back() != '.' && text.front() != '.' ? parse<double>(text) : std::nullopt;
  if (!value || *value < kLeastSeconds || *value > kMostSeconds) {
    return fmt::format("`{}` is not a number of seconds from 0.001 to 1,000,000", text);
  }
  return {};
}

std::string duration(std::string& text) {
  std::string number = text;
  double unit = 1;
  for (const auto& [letter, seconds] : {std::pair{'s', 1.0}, {'m', 60.0}, {'h', 3600.0}}) {
    if (!text.ends_with(letter)) continue;
    number.pop_back();
    unit = seconds;
  }
  const auto wrong = seconds(number);
  const double value = wrong.empty() ? *parse<double>(number) * unit : 0;
  if (!wrong.empty() || value > kMostSeconds) {
    return fmt::format("`{}` is not a time such as 90, 30s, 10m or 2h, of at most 1,000,000 seconds", text);
  }
  text = fmt::format("{}", value);
  return {};
}

std::string path(const std::string& text) {
  return text.empty() ? "`` is no path; name a file or a directory" : std::string();
}

}  // namespace assay::cli
