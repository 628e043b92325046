#include "golden/set_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/set_words.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/shown.hpp"

namespace assay::golden {

std::string to_line(const SetRequest& request) {
  std::string line = fmt::format("operation={} seed={}", request.operation, request.seed);
  if (request.cases) line += fmt::format(" cases={}", *request.cases);
  for (const std::string& shape : request.shapes) line += fmt::format(" shape={}", shape);
  for (std::string one : request.lines) {
    std::replace(one.begin(), one.end(), ' ', ';');
    line += fmt::format(" case={}", one);
  }
  if (request.planned) line += " planned=1";
  if (request.group_size) line += fmt::format(" group_size={}", *request.group_size);
  if (request.bits) line += fmt::format(" bits={}", *request.bits);
  if (request.arithmetic) line += fmt::format(" arithmetic={}", *request.arithmetic);
  if (request.regime) line += fmt::format(" regime={}", *request.regime);
  return line;
}

SetRequest parse_request(std::string_view line) {
  SetRequest request;
  for (const std::string_view part : split(line, ' ')) {
    const std::size_t equals = part.find('=');
    const std::string key(part.substr(0, equals));
    const std::string value(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    const auto number = [&] {
      const auto read = whole_number_in(value);
      if (!read) refuse(shown(key), shown(value) + " is not a whole number of 64 bits");
      return *read;
    };
    const auto positive = [&] {
      const auto read = number();
      if (read < 1 || read > INT32_MAX) refuse(key, shown(value) + " must be from 1 to 2^31-1");
      return static_cast<std::int64_t>(read);
    };
    if (key == "operation") {
      request.operation = value;
    } else if (key == "seed") {
      request.seed = number();
    } else if (key == "cases") {
      request.cases = number();
    } else if (key == "shape") {
      request.shapes.push_back(value);
    } else if (key == "case") {
      std::string& one = request.lines.emplace_back(value);
      std::replace(one.begin(), one.end(), ';', ' ');
    } else if (key == "planned" && value == "1") {
      request.planned = true;
    } else if (key == "group_size") {
      request.group_size = positive();
    } else if (key == "bits") {
      request.bits = positive();
    } else if (key == "arithmetic") {
      request.arithmetic = value;
    } else if (key == "regime") {
      request.regime = value;
    } else {
      refuse(shown(key), "is not a field of a request");
    }
  }
  if (to_line(request) != line) refuse(shown(std::string(line)), "is not written as a request");
  return request;
}

std::string file_name(std::string_view set, std::uint64_t index) {
  return fmt::format("{}-{:04}{}", set, index, kFileSuffix);
}

std::optional<FileName> parse_file_name(std::string_view name) {
  const auto last = name.rfind('-');
  if (last == std::string_view::npos || last == 0 || !name.ends_with(kFileSuffix)) return std::nullopt;
  if (name.size() < last + 1 + kFileSuffix.size()) return std::nullopt;
  const auto index = whole_number_in(name.substr(last + 1, name.size() - kFileSuffix.size() - last - 1));
  if (!index || file_name(name.substr(0, last), *index) != name) return std::nullopt;
  return FileName{std::string(name.substr(0, last)), *index};
}

}  // namespace assay::golden