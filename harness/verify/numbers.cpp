#include "harness/verify/numbers.hpp"

#include <charconv>

namespace assay {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// The whole text as a number that begins and ends with a digit. `format` as std::from_chars takes it.
template <class Number, class... Format>
std::optional<Number> number_in(std::string_view text, Format... format) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, format...);
  const bool whole = error == std::errc{} && stopped == end && digit(text.front()) && digit(text.back());
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> whole_number_in(std::string_view text) { return number_in<std::uint64_t>(text); }

std::optional<double> decimal_in(std::string_view text) {
  return number_in<double>(text, std::chars_format::fixed);
}

std::optional<double> duration_in(std::string_view text) {
  double unit = 1;
  for (const auto& [letter, seconds] : {std::pair{'s', 1.0}, {'m', 60.0}, {'h', 3600.0}}) {
    if (!text.ends_with(letter)) continue;
    text.remove_suffix(1);
    unit = seconds;
    break;
  }
  const auto number = decimal_in(text);
  return number ? std::optional(*number * unit) : std::nullopt;
}

}  // namespace assay
