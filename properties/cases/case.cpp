#include "properties/cases/case.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iomanip>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace assay::properties {
namespace {

constexpr std::string_view kKnobPrefix = "knob.", kPartPrefix = "part.";

template <class Integer>
Integer parse_integer(const std::string& key, const std::string& text) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) {
    throw std::invalid_argument(
        fmt::format("{}={}: not a whole number that fits; write {}=NUMBER", key, text, key));
  }
  return value;
}

/// "3:4".
Range parse_range(const std::string& key, const std::string& text) {
  Range range;
  const char* const end = text.data() + text.size();
  const auto begin = std::from_chars(text.data(), end, range.begin);
  const bool colon = begin.ec == std::errc{} && begin.ptr != end && *begin.ptr == ':';
  const auto last = colon ? std::from_chars(begin.ptr + 1, end, range.end) : begin;
  if (!colon || last.ec != std::errc{} || last.ptr != end || range.begin >= range.end) {
    throw std::invalid_argument(
        fmt::format("{}={}: no range of indices; write {}=FIRST:END, END behind the last", key, text, key));
  }
  return range;
}

bool ends_a_field(std::istream& in) {
  const auto next = in.peek();
  const bool end = next == std::istream::traits_type::eof();
  if (end) in.clear();
  return end || std::isspace(next) != 0;
}

void require(const std::string& value, std::string_view key) {
  if (value.empty()) throw std::invalid_argument(fmt::format("{}: missing; add {}=...", key, key));
}

}  // namespace

std::string to_line(const Case& test_case) {
  std::string line = "operation=" + test_case.operation;
  for (const auto& [name, value] : test_case.dims) line += fmt::format(" {}={}", name, value);
  line += " regime=" + test_case.regime;
  for (const auto& [name, value] : test_case.knobs) line += fmt::format(" {}{}={}", kKnobPrefix, name, value);
  line += fmt::format(" seed={}", test_case.seed);
  if (test_case.budget != 1) line += fmt::format(" budget={}", test_case.budget);
  if (!test_case.schedule.empty()) line += " schedule=" + test_case.schedule;
  if (!test_case.golden.empty()) line += " golden=" + quoted(test_case.golden);
  for (const auto& [name, range] : test_case.part)
    line += fmt::format(" {}{}={}:{}", kPartPrefix, name, range.begin, range.end);
  return line;
}

std::string quoted(const std::string& value) {
  if (value.find_first_of(" \t\n\v\f\r\"\\") == std::string::npos) return value;
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

Fields split_fields(std::string_view line) {
  Fields fields;
  std::set<std::string> seen;
  std::istringstream in{std::string(line)};
  while (in >> std::ws && in.peek() != std::istringstream::traits_type::eof()) {
    std::string key;
    char c = 0;
    while (in.get(c) && c != '=' && c != ' ' && c != '\t' && c != '\n') key += c;
    if (!in || c != '=' || key.empty()) {
      throw std::invalid_argument(fmt::format("\"{}\": not of the form key=value", key));
    }
    std::string value;
    if (in.peek() == '"') {
      in >> std::quoted(value);
      if (!in || !ends_a_field(in)) {
        throw std::invalid_argument(fmt::format("{}: the value is not closed by a quote and a space", key));
      }
    } else {
      while (in.peek() != std::istringstream::traits_type::eof() && !std::isspace(in.peek())) {
        value += static_cast<char>(in.get());
      }
    }
    if (!seen.insert(key).second) throw std::invalid_argument(fmt::format("{}: given twice", key));
    fields.emplace_back(std::move(key), std::move(value));
  }
  return fields;
}

Case case_of(const Fields& fields) {
  Case test_case;
  bool has_seed = false;
  for (const auto& [key, value] : fields) {
    if (key == "operation") {
      test_case.operation = value;
    } else if (key == "regime") {
      test_case.regime = value;
    } else if (key == "schedule") {
      require(value, key);
      test_case.schedule = value;
    } else if (key == "golden") {
      require(value, key);
      test_case.golden = value;
    } else if (key.starts_with(kPartPrefix)) {
      test_case.part[key.substr(kPartPrefix.size())] = parse_range(key, value);
    } else if (key == "seed") {
      test_case.seed = parse_integer<std::uint64_t>(key, value);
      has_seed = true;
    } else if (key == "budget") {
      test_case.budget = parse_integer<std::uint64_t>(key, value);
      if (test_case.budget < 1 || test_case.budget > kMostBudget) {
        throw std::invalid_argument(
            fmt::format("budget={}: not a whole number from 1 to {}", value, kMostBudget));
      }
    } else if (key.starts_with(kKnobPrefix)) {
      test_case.knobs[key.substr(kKnobPrefix.size())] = parse_integer<std::int64_t>(key, value);
    } else {
      test_case.dims[key] = parse_integer<std::int64_t>(key, value);
    }
  }
  require(test_case.operation, "operation");
  require(test_case.regime, "regime");
  if (!has_seed) throw std::invalid_argument("seed: missing; add seed=NUMBER");
  return test_case;
}

Case parse_line(std::string_view line) { return case_of(split_fields(line)); }

std::ostream& operator<<(std::ostream& out, const Case& test_case) { return out << to_line(test_case); }

}  // namespace assay::properties
